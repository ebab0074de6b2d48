#include "users/User.h"

#include "mails/Mails.h"

#include "portico/Text.h"

#include <algorithm>

namespace portico::identity
{

std::string emailKey(std::string_view email)
{
    std::string key(trim(email));
    std::ranges::transform(key, key.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return key;
}

std::string likePattern(std::string_view text)
{
    std::string pattern = "%";
    for (const char c : text)
    {
        if (c == '%' || c == '_' || c == '\\') pattern += '\\';
        pattern += c;
    }
    return pattern + '%';
}

MailRecipient mailRecipient(const User& user) { return {user.email, user.displayName, user.locale}; }

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

void insert(Transaction& transaction, User user)
{
    user.foldedName = fold(user.displayName);
    transaction.insert("users", user, {});
}

bool foldNames(Transaction& transaction)
{
    constexpr std::size_t piece = 500;
    const auto waiting = transaction.all<User>("SELECT " + columns<User>() + " FROM users WHERE folded_name IS NULL ORDER BY id LIMIT $1",
                                               static_cast<std::int64_t>(piece));
    for (const auto& user : waiting)
        transaction.execute("UPDATE users SET folded_name = $2 WHERE id = $1 AND display_name = $3", user.id, fold(user.displayName),
                            user.displayName);
    return waiting.size() == piece;
}

void raiseRevision(Session& session, const UserId& id) { session.execute("UPDATE users SET revision = revision + 1 WHERE id = $1", id); }

} // namespace users

} // namespace portico::identity
