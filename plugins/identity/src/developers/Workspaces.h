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

/// Developer workspaces, the organizations that own private apps and their keys: opened with an approval, and closed by operators.
class Workspaces
{
public:
    explicit Workspaces(Core& core) : _core(core), _invitations(core), _events(core.context.channels()) {}
    void declare(Routes& routes);

    Organization suspend(const Caller& caller, const Request& request, const Path<OrganizationId>& id, const Body<ClosingInput>& input);
    Organization reinstate(const Caller& caller, const Request& request, const Path<OrganizationId>& id, const Body<ClosingInput>& input);
    Organization revoke(const Caller& caller, const Request& request, const Path<OrganizationId>& id, const Body<ClosingInput>& input);

    /// The workspace of an approved developer: theirs already, or a new one, owned by the account of the address if it is verified, else by
    /// whoever accepts the invitation that is sent there.
    OrganizationId open(Transaction& transaction, const Developer& developer, const User& reviewer, Instant now);
    /// Its keys and clients work no more while it is suspended; those of a revoked one never again. Whoever is in it is read again.
    /// Part of a change that concerns everybody. @return the sessions that end with its clients: for `SessionEvents`, after the commit
    std::vector<std::string> close(Transaction& transaction, const Request& request, const OrganizationId& id, OrganizationStatus status,
                                   std::string_view reason, Instant now);
    /// The same as the standing of its developer demands. One that was revoked stays so: `reinstate` opens it, nothing else.
    std::vector<std::string> follow(Transaction& transaction, const Request& request, const OrganizationId& id, OrganizationStatus status,
                                    std::string_view reason, Instant now);

private:
    Organization move(const Caller& caller, const Request& request, const OrganizationId& id, OrganizationStatus to,
                      std::string_view reason);

    Core& _core;
    InvitationMails _invitations;
    SessionEvents _events;
};

} // namespace portico::identity
