#pragma once

#include "common/Core.h"
#include "organizations/InvitationMails.h"
#include "permissions/Actor.h"
#include "records/Application.h"
#include "sessions/SessionEvents.h"

#include "portico/Routes.h"

namespace portico::identity
{

struct ClosingInput
{
    std::string reason;
};

constexpr auto schemaOf(const ClosingInput*) { return describe(field<&ClosingInput::reason>().required().trimmed().maxLength(2000)); }

/// Developer workspaces: organizations that own private apps and their keys. Approval opens them; operators close them.
class Workspaces
{
public:
    explicit Workspaces(Core& core) : _core(core), _invitations(core) {}
    void declare(Routes& routes);

    Organization suspend(const Caller& caller, const Request& request, const Path<OrganizationId>& id, const Body<ClosingInput>& input);
    Organization reinstate(const Caller& caller, const Request& request, const Path<OrganizationId>& id, const Body<ClosingInput>& input);
    Organization revoke(const Caller& caller, const Request& request, const Path<OrganizationId>& id, const Body<ClosingInput>& input);

    /// Returns the workspace of an approved developer: the existing one, or a new one. A new one is owned by the verified account of the
    /// address, else by the person who accepts the invitation sent there.
    OrganizationId open(Transaction& transaction, const Developer& developer, const User& reviewer, Instant now);
    /// Suspends or revokes a workspace. Its keys and clients stop working, permanently if it is revoked, and cached callers of its members
    /// are invalidated. Call it in a change that concerns all callers.
    /// @return the sessions that end with its clients: for `SessionEvents`, after the commit
    std::vector<std::string> close(Transaction& transaction, const Request& request, const OrganizationId& id, OrganizationStatus status,
                                   std::string_view reason, Instant now);
    /// Does the same for the status of its developer. A revoked workspace stays revoked until `reinstate`.
    std::vector<std::string> follow(Transaction& transaction, const Request& request, const OrganizationId& id, OrganizationStatus status,
                                    std::string_view reason, Instant now);

private:
    Organization move(const Caller& caller, const Request& request, const OrganizationId& id, OrganizationStatus to,
                      std::string_view reason);

    Core& _core;
    InvitationMails _invitations;
};

} // namespace portico::identity
