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
    std::optional<Instant> usedAt;

    template <class T>
    T dataAs() const
    {
        return fromStoredJson<T>(data);
    }
};

constexpr auto schemaOf(const OneTimeToken*)
{
    return describe(members<&OneTimeToken::id, &OneTimeToken::purpose, &OneTimeToken::subject, &OneTimeToken::data,
                            &OneTimeToken::expiresAt, &OneTimeToken::createdAt, &OneTimeToken::usedAt>());
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

/// Proof that a user received a mail: the secret of its link, or its code with the subject.
struct MailProof
{
    std::string secret;
    std::string subject;
    std::string code;
};

/// Links of 256 bits and codes of six digits with five tries, in one row each, which open one thing once. Every function works in the
/// transaction of the caller, so that a token is redeemed exactly if what it opens has happened. Thread-safe.
namespace one_time_tokens
{
IssuedToken issue(Session& session, const TokenOrder& order, Instant now);

/// Returns the token of a link that `redeem` would redeem, for a page that asks before it acts.
std::optional<OneTimeToken> look(Session& session, std::string_view purpose, std::string_view secret, Instant now);
/// Returns the token of a link as above, or the newest token with a code for the subject. Does not check the code.
std::optional<OneTimeToken> look(Session& session, std::string_view purpose, const MailProof& proof, Instant now);
/// Redeems a link. Returns the token to one of several callers; empty if it was never issued for this purpose, or was redeemed or revoked,
/// or has expired.
std::optional<OneTimeToken> redeem(Transaction& transaction, std::string_view purpose, std::string_view secret, Instant now);
/// Redeems a link as above, or a code as `redeemCode` does.
std::optional<OneTimeToken> redeem(Transaction& transaction, std::string_view purpose, const MailProof& proof, Instant now);
/// Returns true for the form of `IssuedToken::secret`. The token of a link that a mail program has cut has another form.
bool hasForm(std::string_view secret);

/// Returns the newest open token of an account.
std::optional<OneTimeToken> waiting(Session& session, std::string_view purpose, const UserId& user, Instant now);

/// Returns the token whose code `redeemCode` checks, redeemed or not.
std::optional<OneTimeToken> newestWithCode(Session& session, std::string_view purpose, std::string_view subject);

enum class CodeOutcome : std::uint8_t
{
    Right,
    Wrong, ///< one try less after the commit
    Gone   ///< the subject has no valid code
};
struct CodeResult
{
    CodeOutcome outcome = CodeOutcome::Gone;
    /// Set if right.
    std::optional<OneTimeToken> token = {};
};
/// Redeems the newest code of a subject. A wrong code, also one of another form, uses a try: commit before you reject it, because an
/// exception in the transaction would restore the try.
CodeResult redeemCode(Transaction& transaction, std::string_view purpose, std::string_view subject, std::string_view code, Instant now);

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
