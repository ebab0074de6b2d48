#include "factors/Factors.h"

#include "records/Organization.h"

#include "portico/Crypto.h"
#include "portico/Problem.h"

#include <algorithm>

namespace portico::identity::factors
{

namespace
{

constexpr int recoveryCodeCount = 10;
constexpr std::size_t recoveryCodeLength = 16;
constexpr std::size_t groupLength = 4;
/// Without letters and digits that look alike.
constexpr std::string_view recoveryAlphabet = "abcdefghjkmnpqrstuvwxyz023456789";

/// A fast hash suffices, because codes have 80 random bits. Including the user prevents guessing against several users at once.
std::string hashOf(const UserId& user, std::string_view code) { return sha256({user.text(), ":", code}).hex(); }

std::string plainCode(std::string_view typed)
{
    std::string code;
    for (const char c : typed)
        if (c != '-' && c != ' ') code += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return code;
}

std::string grouped(std::string_view code)
{
    std::string out;
    for (std::size_t i = 0; i < code.size(); i += groupLength) out.append(i == 0 ? "" : "-").append(code.substr(i, groupLength));
    return out;
}

} // namespace

std::string purposeOf(const UserId& user) { return "totp:" + std::string(user.text()); }

FactorSummary summary(Session& session, const UserId& user)
{
    auto rows = session.query("SELECT (SELECT COUNT(*) FROM totp_factors WHERE user_id = $1), "
                              "(SELECT COUNT(*) FROM passkeys WHERE user_id = $1), "
                              "(SELECT COUNT(*) FROM recovery_codes WHERE user_id = $1 AND used_at IS NULL)",
                              user);
    const auto row = rows.next();
    return {row->get<std::int64_t>(0) > 0, row->get<std::int64_t>(1), row->get<std::int64_t>(2)};
}

std::vector<FactorKind> choices(const FactorSummary& summary)
{
    std::vector<FactorKind> kinds;
    if (summary.totp) kinds.push_back(FactorKind::Totp);
    if (summary.passkeys > 0) kinds.push_back(FactorKind::Passkey);
    if (!kinds.empty() && summary.recoveryCodesLeft > 0) kinds.push_back(FactorKind::RecoveryCode);
    return kinds;
}

std::vector<std::string> renewRecoveryCodes(Session& session, const UserId& user, Instant now)
{
    session.execute("DELETE FROM recovery_codes WHERE user_id = $1", user);
    std::vector<std::string> codes;
    for (int i = 0; i < recoveryCodeCount; ++i)
    {
        const auto code = randomText(recoveryCodeLength, recoveryAlphabet);
        session.execute("INSERT INTO recovery_codes (user_id, code_hash, created_at) VALUES ($1, $2, $3)", user, hashOf(user, code), now);
        codes.push_back(grouped(code));
    }
    return codes;
}

bool useRecoveryCode(Session& session, const UserId& user, std::string_view typed, Instant now)
{
    return session.execute("UPDATE recovery_codes SET used_at = $3 WHERE user_id = $1 AND code_hash = $2 AND used_at IS NULL", user,
                           hashOf(user, plainCode(typed)), now) > 0;
}

void requireRemaining(Session& session, const UserId& user)
{
    if (any(summary(session, user))) return;
    for (const auto& organization : organizations::ofUser(session, user))
    {
        const auto found = organizations::find(session, organization.id);
        if (found && found->securityPolicy.mfaRequired)
            throw Problem::conflict("last_factor_required_by_policy",
                                    "One of your organizations requires a second factor, and this is your last one.");
    }
    // Recovery codes are useless without another factor.
    session.execute("DELETE FROM recovery_codes WHERE user_id = $1", user);
}

} // namespace portico::identity::factors
