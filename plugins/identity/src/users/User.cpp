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

std::optional<User> find(Session& session, std::string_view id)
{
    const auto user = UserId::parse(id);
    return user ? userTable.find(session, *user) : std::nullopt;
}

std::optional<User> findByEmail(Session& session, std::string_view email)
{
    return userTable.select().where(&User::emailKey, emailKey(email)).first(session);
}

void insert(Transaction& transaction, User user)
{
    user.foldedName = fold(user.displayName);
    userTable.insert(transaction, user);
}

bool foldNames(Transaction& transaction)
{
    constexpr std::size_t piece = 500;
    const auto waiting = userTable.select().where(&User::foldedName, std::nullopt).orderBy(&User::id).all(transaction, piece);
    for (const auto& user : waiting)
        userTable.select()
            .where(&User::id, user.id)
            .where(&User::displayName, user.displayName)
            .set(transaction, &User::foldedName, fold(user.displayName));
    return waiting.size() == piece;
}

void raiseRevision(Transaction& transaction, const UserId& id) { userTable.set(transaction, id, &User::revision, increment); }

} // namespace users

} // namespace portico::identity
