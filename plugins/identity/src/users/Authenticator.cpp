#include "users/Authenticator.h"

#include "users/Passwords.h"
#include "users/UserStore.h"

namespace portico::identity
{

std::optional<User> Authenticator::authenticate(std::string_view email, std::string_view password)
{
    auto user = [&]
    {
        auto session = _database.session();
        return users::findByEmail(session, email);
    }();
    if (!user || !user->passwordHash)
    {
        passwords::matchNothing(password);
        return std::nullopt;
    }
    if (!passwords::matches(*user->passwordHash, password)) return std::nullopt;
    if (passwords::isOutdated(*user->passwordHash))
    {
        const auto hash = passwords::hash(password);
        _database.transact([&](Transaction& transaction) { users::setPassword(transaction, user->id, hash, _clock.now()); });
    }
    return user;
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
