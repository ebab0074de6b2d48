#pragma once

#include "audit/EventName.h"
#include "common/Core.h"
#include "organizations/InvitationMails.h"
#include "organizations/OrganizationRoutes.h"
#include "permissions/Actor.h"

#include "portico/Routes.h"

#include <functional>

namespace portico::identity
{

struct InvitationInput
{
    std::string email;
    Role role = Role::Member;
    std::vector<std::string> serviceIds;
    std::string message;
    std::optional<std::int64_t> expiresInDays;
};

constexpr auto schemaOf(const InvitationInput*)
{
    return describe(field<&InvitationInput::email>().required().trimmed().email(), field<&InvitationInput::role>(),
                    field<&InvitationInput::serviceIds>().maxItems(50), field<&InvitationInput::message>().maxLength(1000),
                    field<&InvitationInput::expiresInDays>().range(1, 30));
}

/// Preview for anyone with the link, signed in or not.
struct InvitationPreview
{
    std::string organizationName;
    Role role = Role::Member;
    std::string inviterName;
    std::string emailMasked;
    Instant expiresAt{};
};

constexpr auto schemaOf(const InvitationPreview*)
{
    return describe(members<&InvitationPreview::organizationName, &InvitationPreview::role, &InvitationPreview::inviterName,
                            &InvitationPreview::emailMasked, &InvitationPreview::expiresAt>());
}

/// Asking people to join an organization, and their answers. Thread-safe.
class InvitationRoutes
{
public:
    explicit InvitationRoutes(Core& core) : _core(core), _mails(core) {}
    void declare(Routes& routes);

    /// The newest first.
    Page<Invitation> list(const Caller& caller, const Path<OrganizationId>& id, const Paging& paging) const;
    Created<Invitation> create(const Caller& caller, const Request& request, const Path<OrganizationId>& id,
                               const Body<InvitationInput>& input);
    /// Sends the mail with a new link, which invalidates the old one.
    Reply<Invitation> resend(const Caller& caller, const Request& request, const Path<OrganizationId>& id,
                             const Path<InvitationId>& invitationId, const Body<NoInput>& input);
    NoContent revoke(const Caller& caller, const Request& request, const Path<OrganizationId>& id, const Path<InvitationId>& invitationId,
                     const IfMatch& match);

    InvitationPreview preview(const Path<std::string>& token) const;
    Membership accept(const Caller& caller, const Request& request, const Path<std::string>& token, const Body<NoInput>& input);
    NoContent decline(const Caller& caller, const Request& request, const Path<std::string>& token, const Body<NoInput>& input);

private:
    /// Runs a change on invitations of an organization that the caller may reach, under its lock.
    Invitation change(const Caller& caller, const Request& request, const OrganizationId& id, EventName event,
                      const std::function<Invitation(Transaction&, const Actor&, const Organization&)>& work);

    Core& _core;
    InvitationMails _mails;
};

} // namespace portico::identity
