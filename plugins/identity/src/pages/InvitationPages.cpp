#include "pages/InvitationPages.h"

#include "common/Requests.h"

#include "portico/Crypto.h"

namespace portico::identity
{

namespace
{

constexpr std::string_view organizationPath = "/invitation";
constexpr std::string_view householdPath = "/household-invitation";

/// Name of the household of an open invitation; empty for none.
std::string householdOf(Session& session, const std::string& token, Instant now)
{
    return session
        .value<std::string>("SELECT h.name FROM household_invitations i JOIN households h ON h.id = i.household_id "
                            "WHERE i.token_hash = $1 AND i.status = 'pending' AND i.expires_at > $2",
                            sha256(token).hex(), now)
        .value_or(std::string());
}

} // namespace

InvitationPages::InvitationPages(Core& core, const Pages& pages, InvitationRoutes& invitations, HouseholdRoutes& households)
    : _core(core),
      _invitations(invitations),
      _households(households),
      _gate(core, pages),
      _page(pages.bind("invitation", &InvitationPage::form))
{
}

void InvitationPages::declare(Routes& routes)
{
    const auto page = [](std::string_view summary)
    { return RouteOptions{.summary = summary, .undocumented = true, .produces = {"text/html"}}; };
    const auto form = [](std::string_view summary)
    {
        return RouteOptions{.summary = summary,
                            .bodyLimit = 16 * 1024,
                            .idempotencyKey = false,
                            .undocumented = true,
                            .consumes = {"application/x-www-form-urlencoded"}};
    };
    routes.get(organizationPath, access::open(), &InvitationPages::show, this, page("What the link of an invitation leads to"))
        .post(organizationPath, access::open(), &InvitationPages::answer, this, form("Answer an invitation by the page's form"))
        .get(householdPath, access::open(), &InvitationPages::showHousehold, this, page("What the link of a household leads to"))
        .post(householdPath, access::open(), &InvitationPages::answerHousehold, this, form("Join a household by the page's form"));
}

InvitationPage InvitationPages::pageOf(const Request& request, const std::string& token, bool household) const
{
    InvitationPage page;
    page.form.show(InvitationForm{token, {}});
    page.household = household;
    page.action = household ? householdPath : organizationPath;
    const auto self = page.action + "?token=" + encodeUrl(token);
    page.loginUrl = withQuery("/login", {{"return_to", self}});
    page.registerUrl = household ? "/register" : withQuery("/register", {{"invitation", token}});
    if (const auto browser = _gate.current(request)) page.account = browser->user.email;
    try
    {
        if (household)
        {
            auto session = _core.database.session();
            page.place = householdOf(session, token, _core.clock.now());
        }
        else
        {
            const auto preview = _invitations.preview(Path<std::string>(token));
            page.place = preview.organizationName;
            page.inviter = preview.inviterName;
        }
    }
    catch (const Problem& problem)
    {
        if (problem.status() >= 500) throw;
    }
    return page;
}

Response InvitationPages::show(const Request& request, const Query<TokenQuery>& query) const
{
    return _page.show(request, pageOf(request, query->token, false));
}

Response InvitationPages::showHousehold(const Request& request, const Query<TokenQuery>& query) const
{
    return _page.show(request, pageOf(request, query->token, true));
}

Response InvitationPages::answer(const Request& request, const Form<InvitationForm>& form) { return answered(request, form, false); }
Response InvitationPages::answerHousehold(const Request& request, const Form<InvitationForm>& form)
{
    return answered(request, form, true);
}

Response InvitationPages::answered(const Request& request, const Form<InvitationForm>& form, bool household)
{
    auto page = pageOf(request, form.sent().token, household);
    const auto take = [&](const InvitationForm& sent)
    {
        if (page.account.empty()) throw Problem::forbidden("form_expired");
        const bool accept = sent.answer == "accept";
        decide(request, sent.token, accept, household);
        (accept ? page.joined : page.declined) = true;
        return _page.show(request, page);
    };
    return _page.submit(request, form, page, take);
}

void InvitationPages::decide(const Request& request, const std::string& token, bool accept, bool household)
{
    const auto browser = _gate.current(request);
    if (!browser) throw Problem::unauthorized("authentication_required");
    // Builds a caller like for a token of identity in personal context.
    Caller caller;
    caller.credential = CredentialKind::Cookie;
    caller.principalId = browser->user.id.text();
    caller.principalType = toString(browser->user.principalType);
    caller.serviceId = identityServiceId;
    const Path<std::string> path(token);
    if (household && accept)
        _households.accept(caller, request, path, Body<NoInput>({}));
    else if (accept)
        _invitations.accept(caller, request, path, Body<NoInput>({}));
    else if (!household)
        _invitations.decline(caller, request, path, Body<NoInput>({}));
}

} // namespace portico::identity
