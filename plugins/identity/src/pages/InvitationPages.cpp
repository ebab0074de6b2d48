#include "pages/InvitationPages.h"

#include "common/Requests.h"

#include "portico/Crypto.h"

namespace portico::identity
{

namespace
{

constexpr std::string_view invitationForms = "invitation";
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
      _tokens(core),
      _page(pages.bind<InvitationPage>("invitation"))
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
    page.token = token;
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

Response InvitationPages::shown(const Request& request, InvitationPage page, int status) const
{
    auto token = _tokens.make(request, invitationForms);
    page.formToken = std::move(token.token);
    return _page.render(request, page,
                        {.status = status, .formTargets = {}, .cookies = {std::move(token.cookie)}, .script = {}, .locales = {}});
}

Response InvitationPages::show(const Request& request, const Query<TokenQuery>& query) const
{
    return shown(request, pageOf(request, query->token, false), 200);
}

Response InvitationPages::showHousehold(const Request& request, const Query<TokenQuery>& query) const
{
    return shown(request, pageOf(request, query->token, true), 200);
}

Response InvitationPages::answer(const Request& request, const RawBody& body) { return answered(request, body, false); }
Response InvitationPages::answerHousehold(const Request& request, const RawBody& body) { return answered(request, body, true); }

Response InvitationPages::answered(const Request& request, const RawBody& body, bool household)
{
    const auto fields = formOf(body.contentType, body.data);
    const auto token = fieldOf(fields, "token");
    auto page = pageOf(request, token, household);
    page.stale = page.account.empty() || !_tokens.holds(request, invitationForms, fieldOf(fields, "form_token"));
    if (page.stale) return shown(request, std::move(page), 403);
    const bool accept = fieldOf(fields, "answer") == "accept";
    try
    {
        decide(request, token, accept, household);
        (accept ? page.joined : page.declined) = true;
        return shown(request, std::move(page), 200);
    }
    catch (const Problem& problem)
    {
        if (problem.status() >= 500) throw;
        page.wrongAddress = problem.code() == "invitation_email_mismatch";
        page.refused = !page.wrongAddress;
        return shown(request, std::move(page), problem.status());
    }
}

void InvitationPages::decide(const Request& request, const std::string& token, bool accept, bool household)
{
    const auto browser = _gate.current(request);
    if (!browser) throw Problem::unauthorized("authentication_required");
    // As the routes see somebody with a token of identity's own, in personal context.
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
