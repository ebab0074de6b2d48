#include "users/OneTimeTokens.h"

#include "common/TypedCode.h"

#include "portico/Crypto.h"
#include "portico/Id.h"

#include <algorithm>

namespace portico::identity::one_time_tokens
{

namespace
{

constexpr std::size_t codeDigits = 6;
constexpr std::int64_t codeTries = 5;

/// Bound to its row: equal codes of two rows have two hashes.
std::string hashOfCode(std::string_view id, std::string_view code) { return sha256({id, ":", code}).hex(); }

/// Marks a token as used. Only one of several concurrent requests succeeds.
bool claim(Session& session, std::string_view id, Instant now)
{
    return session.execute("UPDATE one_time_tokens SET used_at = $2 WHERE id = $1 AND used_at IS NULL", id, now) == 1;
}

std::optional<Instant> endOf(std::chrono::seconds life, Instant now)
{
    if (life <= life.zero()) return std::nullopt;
    return now + life;
}

} // namespace

IssuedToken issue(Session& session, const TokenOrder& order, Instant now)
{
    IssuedToken issued;
    issued.id = makeUlid(now);
    if (order.linkLife > order.linkLife.zero()) issued.secret = randomToken();
    if (order.codeLife > order.codeLife.zero()) issued.code = randomText(codeDigits, "0123456789");
    const auto secretHash = issued.secret.empty() ? std::optional<std::string>() : sha256(issued.secret).hex();
    const auto codeHash = issued.code.empty() ? std::optional<std::string>() : hashOfCode(issued.id, issued.code);
    session.execute("INSERT INTO one_time_tokens (id, purpose, subject, secret_hash, code_hash, code_tries_left, code_expires_at, data, "
                    "expires_at, created_at, user_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
                    issued.id, order.purpose, order.subject, secretHash, codeHash, codeTries, endOf(order.codeLife, now), order.data,
                    now + std::max(order.linkLife, order.codeLife), now, order.userId);
    return issued;
}

std::optional<OneTimeToken> find(Session& session, std::string_view purpose, std::string_view secret, Instant now)
{
    return session.one<OneTimeToken>("SELECT " + columns<OneTimeToken>() +
                                         " FROM one_time_tokens WHERE secret_hash = $1 AND purpose = $2 AND used_at IS NULL AND "
                                         "expires_at > $3",
                                     sha256(secret).hex(), purpose, now);
}

bool hasForm(std::string_view secret)
{
    constexpr std::size_t characters = 43; // 32 bytes
    return secret.size() == characters && fromBase64Url(secret).has_value();
}

std::optional<OneTimeToken> use(Transaction& transaction, std::string_view purpose, std::string_view secret, Instant now)
{
    auto token = find(transaction, purpose, secret, now);
    if (token && !claim(transaction, token->id, now)) token.reset();
    return token;
}

std::optional<OneTimeToken> waiting(Session& session, std::string_view purpose, const UserId& user, Instant now)
{
    return session.one<OneTimeToken>(
        "SELECT " + columns<OneTimeToken>() +
            " FROM one_time_tokens WHERE user_id = $1 AND purpose = $2 AND used_at IS NULL AND expires_at > $3 "
            "ORDER BY created_at DESC, id DESC LIMIT 1",
        user, purpose, now);
}

std::optional<OneTimeToken> newestWithCode(Session& session, std::string_view purpose, std::string_view subject)
{
    return session.one<OneTimeToken>("SELECT " + columns<OneTimeToken>() +
                                         " FROM one_time_tokens WHERE subject = $1 AND purpose = $2 AND code_hash IS NOT NULL "
                                         "ORDER BY created_at DESC, id DESC LIMIT 1",
                                     subject, purpose);
}

CodeResult useCode(Transaction& transaction, std::string_view purpose, std::string_view subject, std::string_view code, Instant now)
{
    auto token = newestWithCode(transaction, purpose, subject);
    // Counts the attempt before the comparison, so that concurrent requests cannot exceed the limit.
    if (!token || transaction.execute("UPDATE one_time_tokens SET code_tries_left = code_tries_left - 1 WHERE id = $1 AND used_at IS NULL "
                                      "AND code_tries_left > 0 AND code_expires_at > $2",
                                      token->id, now) == 0)
        return {};
    const auto hash = transaction.value<std::string>("SELECT code_hash FROM one_time_tokens WHERE id = $1", token->id);
    if (!sameSecret(*hash, hashOfCode(token->id, typedCode(code)))) return {.outcome = CodeOutcome::Wrong};
    claim(transaction, token->id, now);
    return {CodeOutcome::Right, std::move(token)};
}

std::int64_t revoke(Session& session, std::string_view purpose, std::string_view subject, Instant now)
{
    return session.execute("UPDATE one_time_tokens SET used_at = $3 WHERE (subject = $1 OR user_id = $1) AND purpose = $2 "
                           "AND used_at IS NULL",
                           subject, purpose, now);
}

void revokeChanges(Session& session, const UserId& user, Instant now)
{
    revoke(session, token_purpose::emailChange, user.text(), now);
    revoke(session, token_purpose::passwordReset, user.text(), now);
}

std::optional<Instant> lastIssued(Session& session, std::string_view purpose, std::string_view subject)
{
    return session.value<Instant>(
        "SELECT created_at FROM one_time_tokens WHERE subject = $1 AND purpose = $2 ORDER BY created_at DESC LIMIT 1", subject, purpose);
}

std::int64_t sweep(Transaction& transaction, Instant now)
{
    return transaction.execute("DELETE FROM one_time_tokens WHERE expires_at <= $1 AND NOT (purpose = $2 AND EXISTS "
                               "(SELECT 1 FROM users u WHERE u.email_key = subject AND u.status = 'pending_verification'))",
                               now, token_purpose::registration);
}

} // namespace portico::identity::one_time_tokens
