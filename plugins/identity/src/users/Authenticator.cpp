#include "users/Authenticator.h"

#include "users/Passwords.h"
#include "users/UserStore.h"

namespace portico::identity
{

std::optional<User> Authenticator::find(std::string_view email)
{
    auto session = _database.session();
    return users::findByEmail(session, email);
}

bool Authenticator::matches(const std::optional<User>& user, std::string_view password)
{
    if (!user || !user->passwordHash)
    {
        passwords::matchNothing(password);
        return false;
    }
    if (!passwords::matches(*user->passwordHash, password)) return false;
    if (passwords::isOutdated(*user->passwordHash))
    {
        const auto hash = passwords::hash(password);
        _database.transact([&](Transaction& transaction) { users::setPassword(transaction, user->id, hash, _clock.now()); });
    }
    return true;
}

bool Authenticator::confirm(std::string_view userId, std::string_view password)
{
    const auto hash = [&]
    {
        auto session = _database.session();
        const auto user = users::find(session, userId);
        return user ? user->passwordHash : std::nullopt;
    }();
    if (hash) return passwords::matches(*hash, password);
    passwords::matchNothing(password);
    return false;
}

} // namespace portico::identity
