#pragma once

#include "households/HouseholdRoutes.h"
#include "organizations/InvitationRoutes.h"
#include "pages/AccountPages.h"
#include "signin/BrowserGate.h"

namespace portico::identity
{

struct InvitationForm
{
    std::string token;
    /// Value `accept`; any other value declines.
    std::string answer;
};

constexpr auto schemaOf(const InvitationForm*)
{
    return describe(field<&InvitationForm::token>().maxLength(100), field<&InvitationForm::answer>().maxLength(20));
}

/// Page for an invited person.
struct InvitationPage
{
    PageForm<InvitationForm> form;
    /// Name of the organization or household; empty if the link is invalid.
    std::string place;
    std::string inviter;
    bool household = false;
    /// Account that would accept; empty if the browser is not signed in.
    std::string account;
    std::string loginUrl;
    std::string registerUrl;
    std::string action;
    /// At most one of these is true.
    bool joined = false;
    bool declined = false;
};

constexpr auto schemaOf(const InvitationPage*)
{
    return describe(members<&InvitationPage::form, &InvitationPage::place, &InvitationPage::inviter, &InvitationPage::household,
                            &InvitationPage::account, &InvitationPage::loginUrl, &InvitationPage::registerUrl, &InvitationPage::action,
                            &InvitationPage::joined, &InvitationPage::declined>());
}

/// Serves the pages behind the links of invitations to organizations and households. A signed-in user accepts or declines; others are sent
/// to sign-in or registration. Works without scripts. Thread-safe.
class InvitationPages
{
public:
    InvitationPages(Core& core, const Pages& pages, InvitationRoutes& invitations, HouseholdRoutes& households);
    void declare(Routes& routes);

    Response show(const Request& request, const Query<TokenQuery>& query) const;
    Response answer(const Request& request, const Form<InvitationForm>& form);
    Response showHousehold(const Request& request, const Query<TokenQuery>& query) const;
    Response answerHousehold(const Request& request, const Form<InvitationForm>& form);

private:
    InvitationPage pageOf(const Request& request, const std::string& token, bool household) const;
    Response answered(const Request& request, const Form<InvitationForm>& form, bool household);
    void decide(const Request& request, const std::string& token, bool accept, bool household);

    Core& _core;
    InvitationRoutes& _invitations;
    HouseholdRoutes& _households;
    BrowserGate _gate;
    FormPage<InvitationPage, InvitationForm> _page;
};

} // namespace portico::identity
