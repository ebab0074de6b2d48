#include "users/OneTimeTokens.h"

#include "common/OneTimeRows.h"
#include "common/TypedCode.h"

#include "portico/Crypto.h"
#include "portico/Id.h"

#include <algorithm>

namespace portico::identity::one_time_tokens
{

namespace
{

constexpr GlobalTable tokenTable("one_time_tokens", &OneTimeToken::id);
constexpr OneTimeRows links("one_time_tokens", "secret_hash", &OneTimeToken::usedAt, std::nullopt);
constexpr std::size_t codeDigits = 6;
constexpr std::int64_t codeTries = 5;

/// Bound to its row: equal codes of two rows have two hashes.
std::string hashOfCode(std::string_view id, std::string_view code) { return sha256({id, ":", code}).hex(); }

bool redeemed(Transaction& transaction, const OneTimeToken& token, Instant now)
{
    return links.redeem(transaction, tokenTable.select().where(&OneTimeToken::id, token.id), {now}, &OneTimeToken::usedAt, now);
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
    std::optional<std::string> secretHash, codeHash;
    if (order.linkLife > order.linkLife.zero()) issued.secret = links.issue(secretHash.emplace());
    if (order.codeLife > order.codeLife.zero())
    {
        issued.code = randomText(codeDigits, "0123456789");
        codeHash = hashOfCode(issued.id, issued.code);
    }
    session.execute("INSERT INTO one_time_tokens (id, purpose, subject, secret_hash, code_hash, code_tries_left, code_expires_at, data, "
                    "expires_at, created_at, user_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
                    issued.id, order.purpose, order.subject, secretHash, codeHash, codeTries, endOf(order.codeLife, now), order.data,
                    now + std::max(order.linkLife, order.codeLife), now, order.userId);
    return issued;
}

std::optional<OneTimeToken> look(Session& session, std::string_view purpose, std::string_view secret, Instant now)
{
    auto token = links.look(session, secret);
    return token && token->purpose == purpose && !token->usedAt && token->expiresAt > now ? std::move(token) : std::nullopt;
}

std::optional<OneTimeToken> look(Session& session, std::string_view purpose, const MailProof& proof, Instant now)
{
    return proof.secret.empty() ? newestWithCode(session, purpose, proof.subject) : look(session, purpose, proof.secret, now);
}

bool hasForm(std::string_view secret)
{
    constexpr std::size_t characters = 43; // 32 bytes
    return secret.size() == characters && fromBase64Url(secret).has_value();
}

std::optional<OneTimeToken> redeem(Transaction& transaction, std::string_view purpose, std::string_view secret, Instant now)
{
    auto token = look(transaction, purpose, secret, now);
    return token && redeemed(transaction, *token, now) ? std::move(token) : std::nullopt;
}

std::optional<OneTimeToken> redeem(Transaction& transaction, std::string_view purpose, const MailProof& proof, Instant now)
{
    if (!proof.secret.empty()) return redeem(transaction, purpose, proof.secret, now);
    return redeemCode(transaction, purpose, proof.subject, proof.code, now).token;
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

CodeResult redeemCode(Transaction& transaction, std::string_view purpose, std::string_view subject, std::string_view code, Instant now)
{
    auto token = newestWithCode(transaction, purpose, subject);
    // Counts the attempt before the comparison, so that concurrent requests cannot exceed the limit.
    if (!token || transaction.execute("UPDATE one_time_tokens SET code_tries_left = code_tries_left - 1 WHERE id = $1 AND used_at IS NULL "
                                      "AND code_tries_left > 0 AND code_expires_at > $2",
                                      token->id, now) == 0)
        return {};
    const auto hash = transaction.value<std::string>("SELECT code_hash FROM one_time_tokens WHERE id = $1", token->id);
    if (!sameSecret(*hash, hashOfCode(token->id, typedCode(code)))) return {.outcome = CodeOutcome::Wrong};
    redeemed(transaction, *token, now);
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
