#pragma once

#include "catalog/Catalog.h"
#include "catalog/Manifest.h"
#include "common/Ids.h"
#include "common/OneTimeRows.h"
#include "records/Application.h"

#include "portico/Table.h"

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

/// Approval of a submitted app: the limits of the service that its developer may register with the code.
struct AppHandoff : Versioned
{
    AppHandoffId handoffId;
    AppSubmissionId submissionId;
    /// Organization that will own the service.
    OrganizationId workspaceOrganizationId;
    std::string serviceId;
    std::string name;
    std::vector<std::string> redirectUris;
    std::vector<std::string> scopes;
    HandoffStatus status = HandoffStatus::Issued;
    Instant expiresAt{};
    std::optional<Instant> consumedAt;
    std::string codeHash;

    /// Expiry is computed, not stored.
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

inline constexpr GlobalTable handoffTable{"app_handoffs", &AppHandoff::handoffId};
inline constexpr OneTimeRows handoffSecrets("app_handoffs", "code_hash", &AppHandoff::status, HandoffStatus::Issued);

namespace app_handoffs
{
/// Checks a manifest against the approval: service and name, the kind of app, and its addresses. Permissions, bundles and scopes are not
/// restricted.
/// @throws Problem 403 `manifest_exceeds_approval` with the places
void requireWithin(const AppHandoff& handoff, std::string_view surfaceKind, const ServiceManifest& manifest);
/// Does the same when the backend of a service registered by a handoff changes its manifest. Also checks that the contexts are unchanged.
/// Ignores other services.
void requireApproved(Session& session, const ServiceRow& row, const ServiceManifest& manifest);
} // namespace app_handoffs

} // namespace portico::identity
