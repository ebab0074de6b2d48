#pragma once

#include "organizations/OrganizationRoutes.h"
#include "privacy/Deletions.h"
#include "signin/BrowserGate.h"

#include "portico/Routes.h"

namespace portico::identity
{

struct ExportAccepted
{
    ExportId exportId;
};

constexpr auto schemaOf(const ExportAccepted*) { return describe(field<&ExportAccepted::exportId>()); }

/// Word that confirms the deletion, against mistakes.
enum class DeletionWord : std::uint8_t
{
    Delete
};

constexpr auto schemaOf(const DeletionWord*) { return portico::choices<DeletionWord>({{"delete", DeletionWord::Delete}}); }

struct DeletionInput
{
    DeletionWord confirm = DeletionWord::Delete;
};

constexpr auto schemaOf(const DeletionInput*) { return describe(field<&DeletionInput::confirm>().required()); }

/// Query parameter that sign-in pages append to their return address.
struct ShownQuery
{
    std::string shown;
};

constexpr auto schemaOf(const ShownQuery*) { return describe(field<&ShownQuery::shown>("_shown")); }

struct DeletionPlanned
{
    Instant deletionAt{};
};

constexpr auto schemaOf(const DeletionPlanned*) { return describe(field<&DeletionPlanned::deletionAt>()); }

/// Lets users export and delete their data. Thread-safe.
class PrivacyRoutes
{
public:
    PrivacyRoutes(Core& core, const Pages& pages, DataExports& exports, Deletions& deletions)
        : _core(core), _exports(exports), _deletions(deletions), _gate(core, pages)
    {
    }
    void declare(Routes& routes);

    Reply<ExportAccepted> requestExport(const Caller& caller, const Request& request, const Body<NoInput>& input);
    DataExport showExport(const Caller& caller, const Path<std::string>& id) const;
    File download(const Caller& caller, const Path<std::string>& id) const;
    /// Does the same for the link of the mail. Requires a recent sign-in of the user in this browser.
    Response page(const Request& request, const Path<std::string>& id, const Query<ShownQuery>& query) const;
    Reply<DeletionPlanned> plan(const Caller& caller, const Request& request, const Body<DeletionInput>& input);

private:
    Core& _core;
    DataExports& _exports;
    Deletions& _deletions;
    BrowserGate _gate;
};

} // namespace portico::identity
