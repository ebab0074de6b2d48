#pragma once

#include "audit/EventName.h"
#include "common/Core.h"
#include "common/Requests.h"
#include "mails/Mails.h"
#include "organizations/OrganizationRoutes.h"
#include "records/Household.h"
#include "signin/TokenIssuer.h"

#include "portico/RateLimit.h"
#include "portico/Routes.h"

#include <functional>

namespace portico::identity
{

struct HouseholdInvitationInput
{
    std::string email;
    HouseholdRole role = HouseholdRole::Adult;
};

constexpr auto schemaOf(const HouseholdInvitationInput*)
{
    return describe(field<&HouseholdInvitationInput::email>().required().trimmed().email(), field<&HouseholdInvitationInput::role>());
}

struct HouseholdSelection
{
    std::optional<HouseholdId> selectedHouseholdId;
};

constexpr auto schemaOf(const HouseholdSelection*) { return describe(field<&HouseholdSelection::selectedHouseholdId>()); }

struct HouseholdInvitationMail
{
    std::string household;
    std::string inviter;
    std::string link;
    /// A date.
    std::string until;
};

constexpr auto schemaOf(const HouseholdInvitationMail*)
{
    return describe(members<&HouseholdInvitationMail::household, &HouseholdInvitationMail::inviter, &HouseholdInvitationMail::link,
                            &HouseholdInvitationMail::until>());
}

/// Households: people share one in personal context, and choose which of theirs they work with. Thread-safe.
class HouseholdRoutes
{
public:
    explicit HouseholdRoutes(Core& core);
    void declare(Routes& routes);

    Page<Household> list(const Caller& caller, const Paging& paging) const;
    Created<Household> create(const Caller& caller, const Request& request, const Body<Household>& input);
    Household show(const Caller& caller, const Path<HouseholdId>& id) const;
    Household update(const Caller& caller, const Request& request, const Path<HouseholdId>& id, const Body<Patch<Household>>& patch,
                     const IfMatch& match);
    NoContent remove(const Caller& caller, const Request& request, const Path<HouseholdId>& id, const IfMatch& match);

    Page<HouseholdInvitation> invitations(const Caller& caller, const Path<HouseholdId>& id, const Paging& paging) const;
    Created<HouseholdInvitation> invite(const Caller& caller, const Request& request, const Path<HouseholdId>& id,
                                        const Body<HouseholdInvitationInput>& input);
    NoContent revoke(const Caller& caller, const Request& request, const Path<HouseholdId>& id, const Path<InvitationId>& invitationId,
                     const IfMatch& match);
    Created<Household> accept(const Caller& caller, const Request& request, const Path<std::string>& token, const Body<NoInput>& input);

    HouseholdMember updateMember(const Caller& caller, const Request& request, const Path<HouseholdId>& id, const Path<UserId>& userId,
                                 const Body<Patch<HouseholdMember>>& patch, const IfMatch& match);
    NoContent removeMember(const Caller& caller, const Request& request, const Path<HouseholdId>& id, const Path<UserId>& userId,
                           const IfMatch& match);

    ActiveContext select(const Caller& caller, const Request& request, const Body<HouseholdSelection>& input);

private:
    /// Runs a change of a household that the caller is in, under its lock, as long as they work in personal context.
    void change(const Caller& caller, const Request& request, const HouseholdId& id, EventName event,
                const std::function<void(Transaction&, Household&)>& work);
    /// Publishes to other services that the invitations of a person have changed.
    void announceInvitations(Transaction& transaction, std::string_view userId) const;

    Core& _core;
    MailTemplate<HouseholdInvitationMail> _mail;
    RateLimit _mails;
    RateLimit _mailsOfInviter;
};

} // namespace portico::identity
