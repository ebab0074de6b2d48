#include "Client.h"
#include "Text.h"

#include <algorithm>

namespace portico::mobile
{

namespace
{

// The server answers a superseded refresh token for 30 s with the same successor, and ends the sign-in if it comes later. A refresh that
// began before another app's has arrived after `tokenTimeoutMs` at most; no app rotates again before that time has passed.
constexpr std::uint32_t tokenTimeoutMs = 10'000;
constexpr std::int64_t graceSeconds = 10;
constexpr std::size_t longestTokenText = 8000;
// An access token is renewed this long before it expires.
constexpr std::int64_t marginSeconds = 20;
constexpr int tries = 5;

std::string problemOf(const HttpAnswer& answer)
{
    const auto object = readObject(answer.body);
    if (!object) return {};
    // Problem documents of Portico, and errors of RFC 6749.
    auto code = textOf(*object, "code");
    if (code.empty()) code = textOf(*object, "error");
    return isToken(code, 80) ? code : std::string();
}

bool isTokenText(std::string_view text)
{
    return !text.empty() && text.size() <= longestTokenText && std::ranges::all_of(text, [](char c) { return c > ' ' && c < 127; });
}

} // namespace

std::string Client::secretName(std::string_view kind) const { return _settings.clientId + '.' + std::string(kind); }

std::optional<StoredSession> Client::stored() const
{
    auto bytes = _shell.secret(secretName("session"));
    const auto object = bytes ? readObject(*bytes) : std::nullopt;
    if (!object || textOf(*object, "issuer") != _settings.issuer || !isTokenText(textOf(*object, "refreshToken"))) return std::nullopt;
    return StoredSession{textOf(*object, "id"), textOf(*object, "refreshToken"), textOf(*object, "previousToken"),
                         countOf(*object, "rotatedAt"), *std::move(bytes)};
}

std::string Client::storedForm(const StoredSession& session) const
{
    return json::serialize(json::object{{"issuer", _settings.issuer},
                                        {"id", session.id},
                                        {"refreshToken", session.refreshToken},
                                        {"previousToken", session.previousToken},
                                        {"rotatedAt", session.rotatedAt}});
}

StoredSession Client::requireStored()
{
    auto session = stored();
    // Another app of the group has signed out, or another user has signed in.
    if (!session || session->id != _sessionId) forget();
    if (!session) throw Failure{PM_SIGNED_OUT};
    _sessionId = session->id;
    return *std::move(session);
}

void Client::keepAccess(const json::object& tokens, const std::string& sessionId)
{
    mobile::wipe(_accessToken);
    _accessToken = textOf(tokens, "access_token");
    _expiresAt = _shell.now() + std::min<std::int64_t>(countOf(tokens, "expires_in"), 86'400);
    _sessionId = sessionId;
}

void Client::store(const json::object& tokens)
{
    StoredSession session{base64Url(_shell.random()), textOf(tokens, "refresh_token"), {}, _shell.now(), {}};
    if (!isTokenText(session.refreshToken) || !isTokenText(textOf(tokens, "access_token"))) throw Failure{PM_BAD_ANSWER};
    const auto name = secretName("session");
    const auto form = storedForm(session);
    // The newest sign-in of a user replaces what the group had.
    for (int attempt = 0; attempt < tries; ++attempt)
        if (_shell.replaceSecret(name, _shell.secret(name), form))
        {
            forgetCache();
            return keepAccess(tokens, session.id);
        }
    throw Failure{PM_STORAGE};
}

void Client::refresh()
{
    for (int attempt = 0; attempt < tries; ++attempt)
    {
        auto session = requireStored();
        const auto age = _shell.now() - session.rotatedAt;
        // Asks for the successor once more instead of superseding it, while apps may still be on their way with the token before.
        const bool again = !session.previousToken.empty() && age >= 0 && age < graceSeconds;
        const auto& presented = again ? session.previousToken : session.refreshToken;
        const auto answer =
            askTokens(_settings.issuer + "/oauth/token",
                      formOf({{"grant_type", "refresh_token"}, {"client_id", _settings.clientId}, {"refresh_token", presented}}));
        if (!answer) throw Failure{PM_OFFLINE};
        if (answer->status == 401 || (answer->status == 400 && problemOf(*answer) == "invalid_grant"))
        {
            if (end(session)) throw Failure{PM_SIGNED_OUT, problemOf(*answer)};
            continue;
        }
        if (answer->status != 200) refuse(*answer);
        const auto tokens = readObject(answer->body);
        if (!tokens || !isTokenText(textOf(*tokens, "access_token"))) throw Failure{PM_BAD_ANSWER};
        auto successor = textOf(*tokens, "refresh_token");
        if (successor.empty()) successor = session.refreshToken;
        if (!isTokenText(successor)) throw Failure{PM_BAD_ANSWER};
        if (successor == session.refreshToken) return keepAccess(*tokens, session.id);
        StoredSession next{session.id, successor, session.refreshToken, _shell.now(), {}};
        // If another app was faster, it has stored the same successor or one after it: the access token is of the same sign-in.
        if (_shell.replaceSecret(secretName("session"), session.bytes, storedForm(next))) return keepAccess(*tokens, session.id);
        const auto now = stored();
        if (now && now->id == session.id) return keepAccess(*tokens, session.id);
    }
    throw Failure{PM_UNAVAILABLE};
}

bool Client::end(const StoredSession& session)
{
    const auto name = secretName("session");
    if (_shell.secret(name) != session.bytes) return false;
    // `stored` treats this value as none. A deletion could hit a sign-in that another app has stored in between.
    if (!_shell.replaceSecret(name, session.bytes, "{}")) return false;
    forget();
    _shell.log(PM_LOG_INFO, "The server has ended the sign-in.");
    return true;
}

void Client::signOut()
{
    const auto session = stored();
    if (session)
    {
        // Without a response the refresh token is deleted all the same.
        try
        {
            askTokens(_settings.issuer + "/oauth/revoke",
                      formOf({{"client_id", _settings.clientId}, {"token", session->refreshToken}, {"token_type_hint", "refresh_token"}}));
        }
        catch (const Failure&)
        {
            _shell.log(PM_LOG_WARNING, "The server did not receive the sign-out.");
        }
    }
    forget();
    _shell.deleteSecret(secretName("session"));
}

void Client::wipe() noexcept
{
    mobile::wipe(_accessToken);
    _expiresAt = 0;
}

void Client::forget()
{
    wipe();
    _sessionId.clear();
    forgetCache();
}

void Client::forgetCache() const
{
    for (const auto* name : {"catalog", "preferences", "actions"}) _shell.forget(name);
}

std::optional<HttpAnswer> Client::askTokens(const std::string& path, const std::string& form)
{
    for (int attempt = 0;; ++attempt)
    {
        HttpCall call{"POST", path, {{"Accept", "application/json"}, {"Content-Type", "application/x-www-form-urlencoded"}}};
        call.headers.emplace_back("DPoP", proof(call.method, call.url, {}));
        call.body = form;
        call.timeoutMs = tokenTimeoutMs;
        auto answer = _shell.send(call);
        if (!answer) return std::nullopt;
        if (!answer->nonce.empty()) _nonce = answer->nonce;
        if (attempt > 0 || answer->status != 400 || answer->nonce.empty() || problemOf(*answer) != "use_dpop_nonce") return answer;
    }
}

HttpAnswer Client::authorized(HttpCall call, const std::string& token, bool& answered)
{
    call.headers.emplace_back("Authorization", "DPoP " + token);
    call.headers.emplace_back("DPoP", proof(call.method, call.url, token));
    auto answer = _shell.send(call);
    answered = answer.has_value();
    return answered ? *std::move(answer) : HttpAnswer();
}

std::optional<HttpAnswer> Client::ask(HttpCall call)
{
    requireStored();
    const bool held = !_accessToken.empty() && _shell.now() + marginSeconds < _expiresAt;
    if (!held) refresh();
    bool answered = false;
    auto answer = authorized(call, _accessToken, answered);
    if (answered && answer.status == 401 && held)
    {
        refresh();
        answer = authorized(call, _accessToken, answered);
    }
    if (!answered) return std::nullopt;
    if (answer.status != 401) return answer;
    // Also a token of this moment is refused: the sign-in is over.
    if (const auto session = stored(); session && session->id == _sessionId) end(*session);
    forget();
    throw Failure{PM_SIGNED_OUT, problemOf(answer)};
}

void Client::refuse(const HttpAnswer& answer)
{
    if (answer.status == 429 || answer.status >= 500) throw Failure{PM_UNAVAILABLE, problemOf(answer)};
    if (answer.status >= 400) throw Failure{PM_REFUSED, problemOf(answer)};
    throw Failure{PM_BAD_ANSWER};
}

} // namespace portico::mobile
