#include "signin/OneTimeCodes.h"

#include "portico/Crypto.h"

#include <charconv>

namespace portico::identity
{

namespace
{

/// Retention of used codes. RFC 6749 defines none; the interface promises at least ten minutes.
constexpr auto usedCodesAreKept = std::chrono::hours(24);
/// Time in which an expired code is distinguished from an unknown one.
constexpr auto afterlife = std::chrono::minutes(10);
constexpr std::size_t longestCode = 200;

} // namespace

std::string OneTimeCodes::issue(std::string_view payload, std::chrono::seconds life) const
{
    const auto end = std::to_string(toMillis(_core.clock.now() + life));
    return _waiting.issue(end + ' ' + std::string(payload), life + afterlife);
}

std::optional<OneTimeCodes::Entry> OneTimeCodes::look(std::string_view code) const
{
    if (code.empty() || code.size() > longestCode) return std::nullopt;
    const auto found = _waiting.look(code);
    if (!found) return std::nullopt;
    const auto space = found->find(' ');
    std::int64_t end = 0;
    std::from_chars(found->data(), found->data() + space, end);
    return Entry{found->substr(space + 1), end <= toMillis(_core.clock.now()), fromMillis(end)};
}

std::optional<OneTimeCodes::Used> OneTimeCodes::used(std::string_view code) const
{
    auto session = _core.database.session();
    for (Row row : session.query("SELECT session_id, user_id, presenter, used_at FROM used_codes WHERE code_hash = $1", sha256(code).hex()))
        return Used{row.get<std::string>(0), row.get<std::string>(1), row.get<std::string>(2), row.get<Instant>(3)};
    return std::nullopt;
}

bool OneTimeCodes::use(Transaction& transaction, std::string_view code, const SignIn& signIn, std::string_view presenter) const
{
    return transaction.execute("INSERT INTO used_codes (code_hash, session_id, user_id, presenter, used_at) VALUES ($1, $2, $3, $4, $5) "
                               "ON CONFLICT (code_hash) DO NOTHING",
                               sha256(code).hex(), signIn.id, signIn.userId, presenter, _core.clock.now()) > 0;
}

void OneTimeCodes::forget(std::string_view code) const { _waiting.redeem(code); }

void OneTimeCodes::sweep(Transaction& transaction, Instant now)
{
    transaction.execute("DELETE FROM used_codes WHERE used_at < $1", now - usedCodesAreKept);
}

} // namespace portico::identity
