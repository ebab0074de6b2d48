#pragma once

#include "imports/ImportService.h"

#include "portico/Routes.h"

#include <optional>
#include <string>

namespace portico::crm
{

/// /api/contacts/import and /api/contacts/imports. Thread-safe.
class ImportRoutes
{
public:
    using FileName = Header<"X-File-Name", std::optional<std::string>>;

    ImportRoutes(const ImportTools& tools, ImportService& service) : _tools(tools), _service(service) {}
    void declare(Routes& routes);

    ImportReport import(const Caller& caller, const Query<ImportQuery>& query, const FileName& fileName, const Upload& upload);
    Page<ImportReport> list(const Caller& caller, const Query<ImportFilter>& filter, const Paging& paging) const;
    ImportReport show(const Caller& caller, const Path<ImportId>& id) const;
    Stream errors(const Caller& caller, const Path<ImportId>& id) const;
    ImportReport run(const Caller& caller, const Path<ImportId>& id, const Body<ImportOptions>& options, const IfMatch& ifMatch);
    UndoneImport undo(const Caller& caller, const Path<ImportId>& id, const IfMatch& ifMatch);

private:
    ImportReport importForm(const Caller& caller, const Query<ImportQuery>& query, const Upload& upload);
    ImportReport importFile(const Caller& caller, const ReceivedFile& received, std::string_view contentType, std::string_view fileName,
                            ImportOptions options);
    void checkSize(std::uint64_t bytes) const;
    ImportState require(const Caller& caller, const ImportId& id) const;

    const ImportTools& _tools;
    ImportService& _service;
};

} // namespace portico::crm
