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
std::string markOf(const KeyRing& keys, const SignInPrompt& wanted, std::int64_t millis)
{
    auto parameters = wanted.parameters;
    std::erase_if(parameters, [](const auto& known) { return known.first == shownMark; });
    const auto time = std::to_string(millis);
    const auto key = "pages-shown:" + keys.macKey(keys.newestMacKeyId());
    return time + '.' + toBase64Url(hmacSha256(key, time + ' ' + withQuery(wanted.path, parameters)).bytes());
}

std::optional<Instant> shownSince(const KeyRing& keys, const SignInPrompt& wanted)
{
    const auto mark = valueOf(wanted.parameters, shownMark);
    std::int64_t millis = 0;
    const auto [end, error] = std::from_chars(mark.data(), mark.data() + mark.size(), millis);
    if (error != std::errc{} || !sameSecret(mark, markOf(keys, wanted, millis))) return std::nullopt;
    return fromMillis(millis);
}

/// Returns the address at which the request continues after pages.
std::string urlAfter(const Core& core, const SignInPrompt& wanted)
{
    auto parameters = wanted.parameters;
    std::erase_if(parameters, [](const auto& known) { return known.first == shownMark; });
    parameters.emplace_back(shownMark, markOf(core.keys, wanted, toMillis(core.clock.now())));
    return withQuery(wanted.path, parameters);
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
    auto found = _core.read(
        [&](Session& session) -> std::optional<SignedInBrowser>
        {
            auto browser = browser_sessions::find(session, handle, now);
            if (!browser || !browser->active(now)) return std::nullopt;
            auto user = users::find(session, browser->userId.text());
            if (!user || user->status != UserStatus::Active) return std::nullopt;
            return SignedInBrowser{*std::move(browser), *std::move(user)};
        });
    if (found && browser_sessions::isTouchDue(found->session, _core.settings.refreshIdle, now))
        _core.database.transact([&](Transaction& transaction)
                                { browser_sessions::touch(transaction, found->session, _core.settings.refreshIdle, now); });
    return found;
}

BrowserGate::Outcome BrowserGate::pass(const Request& request, const SignInPrompt& wanted) const
{
    const bool silent = asks(wanted.prompt, "none");
    if (silent && wanted.prompt != "none") return "invalid_request";
    auto browser = current(request);
    const auto now = _core.clock.now();
    const auto since = shownSince(_core.keys, wanted);
    const bool renewed = browser && since && browser->session.authTime >= *since;
    const auto oldest = [&] { return renewed ? std::max<std::chrono::seconds>(*wanted.maxAge, wayBack) : *wanted.maxAge; };
    const bool stale = browser && wanted.maxAge && now - browser->session.authTime > oldest();
    const bool again = browser && asks(wanted.prompt, "login") && !renewed;
    if (!browser || stale || again)
    {
        if (silent) return "login_required";
        return toLogin(wanted);
    }
    if (asks(wanted.prompt, "select_account") && !since) return chooser(request, wanted, *browser);
    return *std::move(browser);
}

Response BrowserGate::toLogin(const SignInPrompt& wanted) const
{
    UrlParameters query = {{"service_id", wanted.serviceId}, {"return_to", urlAfter(_core, wanted)}};
    if (!wanted.loginHint.empty()) query.emplace_back("login_hint", wanted.loginHint);
    if (!wanted.uiLocales.empty()) query.emplace_back("ui_locales", wanted.uiLocales);
    return redirectTo(withQuery("/login", query));
}

Response BrowserGate::chooser(const Request& request, const SignInPrompt& wanted, const SignedInBrowser& browser) const
{
    AccountChoice choice;
    choice.displayName = browser.user.displayName;
    choice.initial = firstCharacters(choice.displayName, 1);
    choice.email = browser.user.email;
    choice.continueUrl = urlAfter(_core, wanted);
    choice.otherUrl = withQuery("/login", {{"service_id", wanted.serviceId}, {"return_to", choice.continueUrl}});
    return _accounts.render(request, choice, {.locale = wanted.uiLocales});
}

} // namespace portico::identity
