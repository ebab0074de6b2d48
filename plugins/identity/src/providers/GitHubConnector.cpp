#include "providers/GitHubConnector.h"

#include "web/Urls.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

struct GitHubToken
{
    std::string accessToken;
};

constexpr auto schemaOf(const GitHubToken*) { return describe(field<&GitHubToken::accessToken>("access_token")); }

struct GitHubUser
{
    /// Permanent number. The login can be changed and reused by another person.
    std::int64_t id = 0;
    std::string login;
    std::optional<std::string> name;
};

constexpr auto schemaOf(const GitHubUser*) { return describe(members<&GitHubUser::id, &GitHubUser::login, &GitHubUser::name>()); }

struct GitHubEmail
{
    std::string email;
    bool primary = false;
    bool verified = false;
};

constexpr auto schemaOf(const GitHubEmail*)
{
    return describe(members<&GitHubEmail::email, &GitHubEmail::primary, &GitHubEmail::verified>());
}

struct GitHubEmails
{
    std::vector<GitHubEmail> emails;
};

constexpr auto schemaOf(const GitHubEmails*) { return describe(field<&GitHubEmails::emails>()); }

std::string apiOf(const IdentityProvider& provider)
{
    return provider.issuer == GitHubConnector::publicIssuer ? std::string("https://api.github.com") : provider.issuer + "/api/v3";
}

} // namespace

std::string GitHubConnector::authorizationUrl(const IdentityProvider& provider, const AuthorizationWish& request)
{
    std::string scope = "read:user user:email";
    for (const auto& word : provider.scopes)
        if (scope.find(word) == std::string::npos && word != "openid" && word != "profile" && word != "email") scope += ' ' + word;
    UrlParameters parameters = {{"client_id", provider.clientId}, {"redirect_uri", request.redirectUri}, {"scope", scope},
                                {"state", request.state},         {"code_challenge", request.challenge}, {"code_challenge_method", "S256"}};
    if (!request.loginHint.empty()) parameters.emplace_back("login", request.loginHint);
    return withQuery(provider.issuer + "/login/oauth/authorize", parameters);
}

std::string GitHubConnector::ask(const IdentityProvider& provider, std::string_view path, const std::string& accessToken) const
{
    return _calls.get(apiOf(provider) + std::string(path),
                      {{"Authorization", "Bearer " + accessToken}, {"X-GitHub-Api-Version", "2022-11-28"}});
}

UpstreamPerson GitHubConnector::redeem(const IdentityProvider& provider, const CodeAnswer& answer)
{
    if (!answer.iss.empty() && answer.iss != provider.issuer && answer.iss != provider.issuer + "/login/oauth")
        throw UpstreamFailure(UpstreamFailure::Kind::OtherIssuer, "The answer comes from another issuer.");
    const auto reply = _calls.post(provider.issuer + "/login/oauth/access_token",
                                   toQuery({{"client_id", provider.clientId},
                                            {"client_secret", answer.clientSecret},
                                            {"code", answer.code},
                                            {"redirect_uri", answer.redirectUri},
                                            {"code_verifier", answer.verifier}}),
                                   {});
    // It says 200 of errors, too.
    const auto token = reply.status == 200 ? readUpstream<GitHubToken>(reply.body).accessToken : std::string();
    if (token.empty()) throw UpstreamFailure(UpstreamFailure::Kind::Refused, "GitHub did not take the code.");
    const auto user = readUpstream<GitHubUser>(ask(provider, "/user", token));
    if (user.id <= 0) throw UpstreamFailure(UpstreamFailure::Kind::NotBelieved, "GitHub returned no user.");
    UpstreamPerson person;
    person.subject = std::to_string(user.id);
    person.name = user.name.value_or(user.login);
    const auto emails = readUpstream<GitHubEmails>("{\"emails\":" + ask(provider, "/user/emails", token) + '}').emails;
    const auto primary = std::ranges::find_if(emails, [](const GitHubEmail& email) { return email.primary; });
    if (primary == emails.end()) return person;
    person.email = primary->email;
    person.emailVerified = primary->verified;
    return person;
}

UpstreamLogout GitHubConnector::readLogout(const IdentityProvider&, std::string_view)
{
    throw UpstreamFailure(UpstreamFailure::Kind::NotBelieved, "GitHub has no logout tokens.");
}

std::vector<ProviderTestStep> GitHubConnector::test(const IdentityProvider& provider)
{
    try
    {
        _calls.get(apiOf(provider) + "/meta");
        return {{"api", true, "GitHub's API answers."}};
    }
    catch (const UpstreamFailure& failure)
    {
        return {{"api", false, failure.what()}};
    }
}

} // namespace portico::identity
