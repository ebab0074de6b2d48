#pragma once

#include "catalog/Catalog.h"
#include "catalog/Manifest.h"
#include "common/Ids.h"
#include "records/Application.h"

#include "portico/Database.h"
#include "portico/Schema.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

enum class HandoffStatus : std::uint8_t
{
    Issued,
    Consumed,
    Expired,
    Revoked
};

constexpr auto schemaOf(const HandoffStatus*)
{
    using enum HandoffStatus;
    return portico::choices<HandoffStatus>({{"issued", Issued}, {"consumed", Consumed}, {"expired", Expired}, {"revoked", Revoked}});
}

/// What was approved of a submitted app: the bounds of the service that its developer may register with the code.
struct AppHandoff : Versioned
{
    AppHandoffId handoffId;
    AppSubmissionId submissionId;
    /// The service will be its.
    OrganizationId workspaceOrganizationId;
    std::string serviceId;
    std::string name;
    std::vector<std::string> redirectUris;
    std::vector<std::string> scopes;
    HandoffStatus status = HandoffStatus::Issued;
    Instant expiresAt{};
    std::optional<Instant> consumedAt;
    std::string codeHash;

    /// Nobody writes down that time has passed.
    HandoffStatus statusAt(Instant now) const noexcept
    {
        return status == HandoffStatus::Issued && expiresAt <= now ? HandoffStatus::Expired : status;
    }
};

constexpr auto schemaOf(const AppHandoff*)
{
    return describe(field<&AppHandoff::handoffId>("id"), members<&AppHandoff::submissionId, &AppHandoff::workspaceOrganizationId>(),
                    field<&AppHandoff::serviceId>("service_id"), field<&AppHandoff::name>(),
                    field<&AppHandoff::redirectUris>("redirect_uris"),
                    members<&AppHandoff::scopes, &AppHandoff::status, &AppHandoff::expiresAt, &AppHandoff::consumedAt>(),
                    field<&AppHandoff::codeHash>().columnOnly(), versioned<AppHandoff>());
}

/// Rows of handoffs.
namespace app_handoffs
{
std::optional<AppHandoff> find(Session& session, std::string_view id);
std::optional<AppHandoff> findByCode(Session& session, std::string_view code);
void insert(Transaction& transaction, const AppHandoff& handoff);
/// Under the next version. @throws Problem 412 when somebody else was faster
void write(Transaction& transaction, AppHandoff& handoff, Instant now);

/// What a manifest says beyond the approval: service and name, the kind of app that was submitted, and the addresses at which it lives and
/// people come back. What it defines for itself (permissions, bundles, scopes of keys) is its own affair.
/// @throws Problem 403 `manifest_exceeds_approval` with the places
void requireWithin(const AppHandoff& handoff, std::string_view surfaceKind, const ServiceManifest& manifest);
/// The same of a service that was registered so, whose backend changes its manifest, and that it is for the same contexts as before; of
/// others nothing is asked.
void requireApproved(Session& session, const ServiceRow& row, const ServiceManifest& manifest);
} // namespace app_handoffs

} // namespace portico::identity
