#include "users/UserStore.h"

#include "portico/Problem.h"

#include <algorithm>

namespace portico::identity
{

std::string emailKey(std::string_view email)
{
    const auto start = email.find_first_not_of(" \t");
    if (start == std::string_view::npos) return {};
    std::string key(email.substr(start, email.find_last_not_of(" \t") - start + 1));
    std::ranges::transform(key, key.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return key;
}

namespace users
{

namespace
{
std::optional<User> select(Session& session, std::string_view condition, std::string_view argument)
{
    return session.one<User>("SELECT " + columns<User>() + " FROM users WHERE " + std::string(condition), argument);
}
} // namespace

std::optional<User> find(Session& session, std::string_view id) { return select(session, "id = $1", id); }

std::optional<User> findByEmail(Session& session, std::string_view email) { return select(session, "email_key = $1", emailKey(email)); }

void insert(Session& session, const User& user) { session.insert("users", user, {}); }

void updateProfile(Session& session, User& user, Instant now)
{
    const auto changed = session.execute(
        "UPDATE users SET display_name = $3, given_name = $4, family_name = $5, avatar_url = $6, locale = $7, "
        "timezone = $8, version = version + 1, updated_at = $9 WHERE id = $1 AND version = $2",
        user.id, user.version, user.displayName, user.givenName, user.familyName, user.avatarUrl, user.locale, user.timezone, now);
    if (changed == 0) throw Problem::versionConflict(user.version + 1);
    ++user.version;
    user.updatedAt = now;
}

void setPassword(Session& session, const UserId& id, std::string_view hash, Instant now)
{
    session.execute("UPDATE users SET password_hash = $2, version = version + 1, updated_at = $3 WHERE id = $1", id, hash, now);
}

void setPlatformRole(Session& session, const UserId& id, PlatformRole role, Instant now)
{
    session.execute("UPDATE users SET platform_role = $2, revision = revision + 1, version = version + 1, updated_at = $3 WHERE id = $1",
                    id, toString(role), now);
}

void noteLogin(Session& session, const UserId& id, Instant now)
{
    session.execute("UPDATE users SET last_login_at = $2 WHERE id = $1", id, now);
}

void raiseRevision(Session& session, std::string_view id) { session.execute("UPDATE users SET revision = revision + 1 WHERE id = $1", id); }

} // namespace users

} // namespace portico::identity
