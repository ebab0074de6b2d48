#include "oauth/PersonClaims.h"

#include "clients/OAuthClient.h"

#include <chrono>

namespace portico::identity
{

namespace
{
std::optional<std::string> unlessBlank(const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); }
} // namespace

PersonClaims PersonClaims::of(Session& session, const User& user, std::string_view sub, std::string_view scope)
{
    PersonClaims claims;
    claims.sub = sub;
    if (hasWord(scope, "profile"))
    {
        // Apps name the account by it. The address is what people sign in with; to a pairwise client it would name the person.
        if (sub == user.id.text() || hasWord(scope, "email")) claims.preferredUsername = user.email;
        claims.name = unlessBlank(user.displayName);
        claims.givenName = unlessBlank(user.givenName);
        claims.familyName = unlessBlank(user.familyName);
        claims.picture = user.avatarUrl;
        claims.locale = unlessBlank(user.locale);
        claims.zoneinfo = unlessBlank(user.timezone);
        claims.updatedAt = std::chrono::floor<std::chrono::seconds>(user.updatedAt).time_since_epoch().count();
    }
    if (hasWord(scope, "email"))
    {
        claims.email = user.email;
        claims.emailVerified = user.emailVerified;
    }
    if (hasWord(scope, "organizations"))
    {
        claims.organizations.emplace();
        for (const auto& organization : organizations::ofUser(session, user.id))
            claims.organizations->push_back({organization.id.text(), organization.slug, organization.role});
    }
    return claims;
}

} // namespace portico::identity
