#pragma once

#include "common/Ids.h"

#include "portico/Database.h"
#include "portico/Json.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace portico::identity
{

/// One-time secret that was sent to a user. Only hashes are stored.
struct OneTimeToken
{
    std::string id;
    std::string purpose;
    /// Subject: the id of a record, or a normalized e-mail address (`emailKey`).
    std::string subject;
    /// JSON data of the issuer.
    std::string data;
    Instant expiresAt{};
    Instant createdAt{};

    template <class T>
    T dataAs() const
    {
        return fromStoredJson<T>(data);
    }
};

constexpr auto schemaOf(const OneTimeToken*)
{
    return describe(members<&OneTimeToken::id, &OneTimeToken::purpose, &OneTimeToken::subject, &OneTimeToken::data,
                            &OneTimeToken::expiresAt, &OneTimeToken::createdAt>());
}

namespace token_purpose
{
inline constexpr std::string_view registration = "registration";
inline constexpr std::string_view passwordReset = "password_reset";
inline constexpr std::string_view recoveryEmail = "recovery_email";
inline constexpr std::string_view emailChange = "email_change";
inline constexpr std::string_view emailRevert = "email_revert";
} // namespace token_purpose

/// Parameters of a new token.
struct TokenOrder
{
    /// Purpose such as `password_reset`: a secret is valid for one purpose only.
    std::string_view purpose;
    std::string_view subject;
    /// Zero: without a link.
    std::chrono::seconds linkLife{0};
    /// Zero: without a code.
    std::chrono::seconds codeLife{0};
    std::string data = "{}";
    /// Account that it concerns, if the subject is an address.
    std::optional<UserId> userId = {};
};

/// Plain secrets, which are not stored.
struct IssuedToken
{
    std::string id;
    /// 256 bits, base64url; empty without a link.
    std::string secret;
    /// Six digits; empty without a code.
    std::string code;
};

/// One-time links of 256 bits and codes of six digits with five attempts, one row each. Every function works in the given transaction, so
/// that a token is used exactly if its effect is committed. Thread-safe.
namespace one_time_tokens
{
IssuedToken issue(Session& session, const TokenOrder& order, Instant now);

/// Uses a link. Of concurrent requests one gets the token. Returns none if it was never issued for this purpose, used, revoked or has
/// expired.
std::optional<OneTimeToken> use(Transaction& transaction, std::string_view purpose, std::string_view secret, Instant now);
/// The same without using it: for a page that asks before it acts.
std::optional<OneTimeToken> find(Session& session, std::string_view purpose, std::string_view secret, Instant now);
/// Returns true for the form of `IssuedToken::secret`. The token of a link that a mail program has cut has another form.
bool hasForm(std::string_view secret);

/// The newest that concerns an account and waits to be used.
std::optional<OneTimeToken> waiting(Session& session, std::string_view purpose, const UserId& user, Instant now);

/// The token that `useCode` would look at, used or not.
std::optional<OneTimeToken> newestWithCode(Session& session, std::string_view purpose, std::string_view subject);

enum class CodeOutcome : std::uint8_t
{
    Right,
    Wrong, ///< one try less, once the transaction is committed
    Gone   ///< there is no code for this subject that still counts
};
struct CodeResult
{
    CodeOutcome outcome = CodeOutcome::Gone;
    /// Set when right.
    std::optional<OneTimeToken> token = {};
};
/// Uses the newest code of a subject. A wrong code, also one without six digits, costs an attempt. Commit before rejecting: an exception in
/// the transaction would roll the attempt back.
CodeResult useCode(Transaction& transaction, std::string_view purpose, std::string_view subject, std::string_view code, Instant now);

/// Revokes all unused tokens of that subject or account. @return their number
std::int64_t revoke(Session& session, std::string_view purpose, std::string_view subject, Instant now);
/// Revokes all tokens that would change the address or the password of an account, because an attacker may have requested them. Keeps
/// tokens that restore an old address.
void revokeChanges(Session& session, const UserId& user, Instant now);
/// Returns the time of the newest token of that kind, used or not.
std::optional<Instant> lastIssued(Session& session, std::string_view purpose, std::string_view subject);
/// Deletes expired tokens. Keeps those of registrations until their account needs none, because they list what was created.
/// @return their number
std::int64_t sweep(Transaction& transaction, Instant now);
} // namespace one_time_tokens

} // namespace portico::identity
