#include "users/Passwords.h"

#include "portico/Problem.h"
#include "portico/Text.h"

#include <algorithm>
#include <array>
#include <sodium.h>

namespace portico::identity
{

namespace passwords
{

namespace
{
constexpr unsigned long long passes = 2;
constexpr std::size_t memoryBytes = 19 * 1024 * 1024;

/// Hash of a random password, with the parameters above.
constexpr const char* nobodysHash = "$argon2id$v=19$m=19456,t=2,p=1$5jDVccqF44d8gs7oD03ghw$Lv6WV5bFRpPsOCiIy0Cwqhx+BY/nYPomg6GxNBVnSMo";

bool matchesBytes(std::string_view hash, std::string_view password) noexcept
{
    std::array<char, crypto_pwhash_STRBYTES> text{};
    if (hash.size() >= text.size()) return false;
    std::ranges::copy(hash, text.begin());
    return crypto_pwhash_str_verify(text.data(), password.data(), password.size()) == 0;
}
} // namespace

std::string hash(std::string_view typed)
{
    const auto password = compose(typed);
    std::array<char, crypto_pwhash_STRBYTES> text{};
    if (crypto_pwhash_str_alg(text.data(), password.data(), password.size(), passes, memoryBytes, crypto_pwhash_ALG_ARGON2ID13) != 0)
        throw Problem::unavailable("overloaded", "Not enough memory to hash a password.");
    return text.data();
}

bool matches(std::string_view hash, std::string_view typed)
{
    const auto password = compose(typed);
    return matchesBytes(hash, password) || (password != typed && matchesBytes(hash, typed));
}

void matchNothing(std::string_view password) { static_cast<void>(matches(nobodysHash, password)); }

bool isOutdated(std::string_view hash) { return crypto_pwhash_str_needs_rehash(std::string(hash).c_str(), passes, memoryBytes) != 0; }

bool isOfTypedForm(std::string_view hash, std::string_view typed)
{
    const auto password = compose(typed);
    return password != typed && !matchesBytes(hash, password);
}

} // namespace passwords

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
    return passwords::matches(*user->passwordHash, password);
}

void Authenticator::renew(User& user, std::string_view password)
{
    if (!passwords::isOutdated(*user.passwordHash) && !passwords::isOfTypedForm(*user.passwordHash, password)) return;
    const auto hash = passwords::hash(password);
    const auto renewed = _database.transact(
        [&](Transaction& transaction)
        {
            return userTable.select()
                .where(&User::id, user.id)
                .where(&User::passwordHash, user.passwordHash)
                .set(transaction, {_clock.now()}, &User::passwordHash, hash);
        });
    if (renewed > 0) user.passwordHash = hash;
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
