#include "Client.h"
#include "Text.h"

namespace portico::mobile
{

namespace
{
constexpr std::int64_t signInSeconds = 600;
}

std::string Client::startSignIn()
{
    const auto state = base64Url(_shell.random());
    const auto verifier = base64Url(_shell.random());
    const auto name = secretName("sign-in." + _settings.appName);
    const auto content = json::serialize(json::object{{"state", state}, {"verifier", verifier}, {"startedAt", _shell.now()}});
    // Only this app writes it. A second try is for a shell that starts twice at once.
    if (!_shell.replaceSecret(name, _shell.secret(name), content) && !_shell.replaceSecret(name, _shell.secret(name), content))
        throw Failure{PM_STORAGE};
    return _settings.issuer + "/oauth/authorize?" +
           formOf({{"response_type", "code"},
                   {"client_id", _settings.clientId},
                   {"redirect_uri", _settings.redirectUri},
                   {"scope", "openid profile"},
                   {"state", state},
                   {"code_challenge", base64Url(sha256(verifier))},
                   {"code_challenge_method", "S256"},
                   {"dpop_jkt", base64Url(sha256(keyObject()))}});
}

void Client::finishSignIn(std::string_view callbackUrl)
{
    const auto name = secretName("sign-in." + _settings.appName);
    const auto pending = _shell.secret(name);
    const auto expected = pending ? readObject(*pending) : std::nullopt;
    const auto url = Url::parse(callbackUrl);
    const auto own = Url::parse(_settings.redirectUri);
    if (!url || url->origin != own->origin || url->path != own->path) throw Failure{PM_WRONG_STATE};
    // A foreign callback leaves the sign-in that runs as it is.
    if (!expected || textOf(*expected, "state").empty() || url->field("state") != textOf(*expected, "state")) throw Failure{PM_WRONG_STATE};
    if (url->field("iss") != _settings.issuer) throw Failure{PM_WRONG_ISSUER};
    const auto verifier = textOf(*expected, "verifier");
    if (_shell.now() - countOf(*expected, "startedAt") > signInSeconds)
    {
        _shell.deleteSecret(name);
        throw Failure{PM_WRONG_STATE};
    }
    if (const auto error = url->field("error"); !error.empty())
    {
        _shell.deleteSecret(name);
        throw Failure{PM_DENIED, isToken(error, 80) ? error : std::string()};
    }
    const auto code = url->field("code");
    if (!isToken(code, 1000)) throw Failure{PM_BAD_ANSWER};
    // Before the code is sent: it is valid once, and so is the sign-in.
    _shell.deleteSecret(name);
    const auto answer = askTokens(_settings.issuer + "/oauth/token", formOf({{"grant_type", "authorization_code"},
                                                                             {"client_id", _settings.clientId},
                                                                             {"redirect_uri", _settings.redirectUri},
                                                                             {"code", code},
                                                                             {"code_verifier", verifier}}));
    if (!answer) throw Failure{PM_OFFLINE};
    if (answer->status != 200) refuse(*answer);
    const auto tokens = readObject(answer->body);
    if (!tokens) throw Failure{PM_BAD_ANSWER};
    store(*tokens);
}

std::string Client::exchange(std::string_view link)
{
    const auto url = Url::parse(link);
    if (!url || url->origin != _settings.launchpadUrl || url->path != "/launch/" + _settings.serviceId) throw Failure{PM_WRONG_ISSUER};
    const auto code = url->field("code");
    if (!isToken(code, 200)) throw Failure{PM_BAD_ANSWER};
    const auto body = json::serialize(json::object{{"sso_code", code},
                                                   {"service_id", _settings.serviceId},
                                                   {"redirect_uri", _settings.callbackUrl},
                                                   {"client_id", _settings.clientId}});
    HttpCall call{
        "POST", _settings.serviceUrl + "/api/auth/sso/exchange", {{"Accept", "application/json"}, {"Content-Type", "application/json"}}};
    call.headers.emplace_back("DPoP", proof(call.method, call.url, {}));
    call.body = body;
    const auto answer = _shell.send(call);
    if (!answer) throw Failure{PM_OFFLINE};
    if (answer->status != 200) refuse(*answer);
    const auto tokens = readObject(answer->body);
    if (!tokens) throw Failure{PM_BAD_ANSWER};
    store(*tokens);
    const auto returnTo = textOf(*tokens, "returnTo");
    return isPath(returnTo) ? returnTo : "/";
}

} // namespace portico::mobile
