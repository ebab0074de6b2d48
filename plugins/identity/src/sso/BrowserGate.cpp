#include "sso/BrowserGate.h"

#include "portico/Text.h"

#include <algorithm>
#include <charconv>

namespace portico::identity
{

namespace
{

/// When the pages of this request were first shown: a sign-in since then is a new one.
constexpr std::string_view shownAt = "_at";
constexpr std::string_view chosen = "_chosen";

std::string_view valueOf(const UrlParameters& parameters, std::string_view name)
{
    const auto found = std::ranges::find(parameters, name, &UrlParameters::value_type::first);
    return found == parameters.end() ? std::string_view() : std::string_view(found->second);
}

std::string urlOf(const GateWish& wish, const UrlParameters& more)
{
    auto parameters = wish.parameters;
    for (const auto& entry : more)
    {
        std::erase_if(parameters, [&](const auto& known) { return known.first == entry.first; });
        parameters.push_back(entry);
    }
    return withQuery(wish.path, parameters);
}

/// Not signed: who makes it up lets off only himself, and whom the proof is for looks at `auth_time`.
std::optional<Instant> firstShown(const GateWish& wish)
{
    const auto text = valueOf(wish.parameters, shownAt);
    std::int64_t millis = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), millis);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size() || millis < 0) return std::nullopt;
    return fromMillis(millis);
}

} // namespace

bool asks(std::string_view prompt, std::string_view word)
{
    while (!prompt.empty())
    {
        const auto space = prompt.find(' ');
        if (prompt.substr(0, space) == word) return true;
        prompt.remove_prefix(space == std::string_view::npos ? prompt.size() : space + 1);
    }
    return false;
}

std::optional<SignedInBrowser> BrowserGate::current(const Request& request) const
{
    const auto handle = _cookies.browserSessionHandle(request);
    if (handle.empty()) return std::nullopt;
    const auto now = _core.clock.now();
    std::optional<SignedInBrowser> found;
    {
        auto session = _core.database.session();
        auto browser = browser_sessions::find(session, handle, now);
        if (!browser || !browser->active(now)) return std::nullopt;
        auto user = users::find(session, browser->userId.text());
        if (!user || user->status != UserStatus::Active) return std::nullopt;
        found = SignedInBrowser{*std::move(browser), *std::move(user)};
    }
    if (browser_sessions::isTouchDue(found->session, _core.settings.refreshIdle, now))
        _core.database.transact([&](Transaction& transaction)
                                { browser_sessions::touch(transaction, found->session, _core.settings.refreshIdle, now); });
    return found;
}

BrowserGate::Outcome BrowserGate::pass(const Request& request, const GateWish& wish) const
{
    const bool silent = asks(wish.prompt, "none");
    if (silent && wish.prompt != "none") return "invalid_request";
    auto browser = current(request);
    const auto now = _core.clock.now();
    const auto shown = firstShown(wish);
    const bool stale = browser && wish.maxAge && now - browser->session.authTime > *wish.maxAge;
    const bool again = browser && asks(wish.prompt, "login") && !(shown && browser->session.authTime >= *shown);
    if (!browser || stale || again)
    {
        if (silent) return "login_required";
        return toLogin(wish);
    }
    if (asks(wish.prompt, "select_account") && valueOf(wish.parameters, chosen).empty()) return chooser(request, wish, *browser);
    return *std::move(browser);
}

Response BrowserGate::toLogin(const GateWish& wish) const
{
    // A choice of the account is made by signing in.
    UrlParameters marks = {{std::string(shownAt), std::to_string(toMillis(_core.clock.now()))}, {std::string(chosen), "1"}};
    UrlParameters query = {{"service_id", wish.serviceId}, {"return_to", urlOf(wish, marks)}};
    if (!wish.loginHint.empty()) query.emplace_back("login_hint", wish.loginHint);
    if (!wish.uiLocales.empty()) query.emplace_back("ui_locales", wish.uiLocales);
    return redirectTo(withQuery("/login", query));
}

Response BrowserGate::chooser(const Request& request, const GateWish& wish, const SignedInBrowser& browser) const
{
    const auto at = std::to_string(toMillis(_core.clock.now()));
    AccountChoice choice;
    choice.displayName = browser.user.displayName;
    choice.initial = firstCharacters(choice.displayName, 1);
    choice.email = browser.user.email;
    choice.continueUrl = urlOf(wish, {{std::string(chosen), "1"}});
    choice.otherUrl = withQuery(
        "/login", {{"service_id", wish.serviceId}, {"return_to", urlOf(wish, {{std::string(shownAt), at}, {std::string(chosen), "1"}})}});
    return _accounts.render(request, choice, {.locales = wish.uiLocales});
}

} // namespace portico::identity
