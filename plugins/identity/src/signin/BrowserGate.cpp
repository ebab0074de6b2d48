#include "signin/BrowserGate.h"

#include "sessions/Cookies.h"
#include "tokens/KeyRing.h"

#include "portico/Crypto.h"
#include "portico/Text.h"

#include <algorithm>
#include <charconv>

namespace portico::identity
{

namespace
{

/// When the pages of this request were shown: a sign-in since then is a new one, and the account has been chosen.
constexpr std::string_view shownMark = "_shown";
/// Maximum time for returning from the sign-in pages. In this time the sign-in counts as new, regardless of `max_age`.
constexpr std::chrono::minutes wayBack{10};

std::string_view valueOf(const UrlParameters& parameters, std::string_view name)
{
    const auto found = std::ranges::find(parameters, name, &UrlParameters::value_type::first);
    return found == parameters.end() ? std::string_view() : std::string_view(found->second);
}

/// Signed with the request's parameters, so that editing the address or reusing another request's mark does not skip the pages.
std::string markOf(const KeyRing& keys, const GateWish& wish, std::int64_t millis)
{
    auto parameters = wish.parameters;
    std::erase_if(parameters, [](const auto& known) { return known.first == shownMark; });
    const auto time = std::to_string(millis);
    const auto key = "pages-shown:" + keys.macKey(keys.newestMacKeyId());
    return time + '.' + toBase64Url(hmacSha256(key, time + ' ' + withQuery(wish.path, parameters)).bytes());
}

std::optional<Instant> shownSince(const KeyRing& keys, const GateWish& wish)
{
    const auto mark = valueOf(wish.parameters, shownMark);
    std::int64_t millis = 0;
    const auto [end, error] = std::from_chars(mark.data(), mark.data() + mark.size(), millis);
    if (error != std::errc{} || !sameSecret(mark, markOf(keys, wish, millis))) return std::nullopt;
    return fromMillis(millis);
}

/// Returns the address at which the request continues after pages.
std::string urlAfter(const Core& core, const GateWish& wish)
{
    auto parameters = wish.parameters;
    std::erase_if(parameters, [](const auto& known) { return known.first == shownMark; });
    parameters.emplace_back(shownMark, markOf(core.keys, wish, toMillis(core.clock.now())));
    return withQuery(wish.path, parameters);
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
    const auto handle = _core.cookies.browserSessionHandle(request);
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
    const auto since = shownSince(_core.keys, wish);
    const bool renewed = browser && since && browser->session.authTime >= *since;
    const auto oldest = [&] { return renewed ? std::max<std::chrono::seconds>(*wish.maxAge, wayBack) : *wish.maxAge; };
    const bool stale = browser && wish.maxAge && now - browser->session.authTime > oldest();
    const bool again = browser && asks(wish.prompt, "login") && !renewed;
    if (!browser || stale || again)
    {
        if (silent) return "login_required";
        return toLogin(wish);
    }
    if (asks(wish.prompt, "select_account") && !since) return chooser(request, wish, *browser);
    return *std::move(browser);
}

Response BrowserGate::toLogin(const GateWish& wish) const
{
    UrlParameters query = {{"service_id", wish.serviceId}, {"return_to", urlAfter(_core, wish)}};
    if (!wish.loginHint.empty()) query.emplace_back("login_hint", wish.loginHint);
    if (!wish.uiLocales.empty()) query.emplace_back("ui_locales", wish.uiLocales);
    return redirectTo(withQuery("/login", query));
}

Response BrowserGate::chooser(const Request& request, const GateWish& wish, const SignedInBrowser& browser) const
{
    AccountChoice choice;
    choice.displayName = browser.user.displayName;
    choice.initial = firstCharacters(choice.displayName, 1);
    choice.email = browser.user.email;
    choice.continueUrl = urlAfter(_core, wish);
    choice.otherUrl = withQuery("/login", {{"service_id", wish.serviceId}, {"return_to", choice.continueUrl}});
    return _accounts.render(request, choice, {.locale = wish.uiLocales});
}

} // namespace portico::identity
