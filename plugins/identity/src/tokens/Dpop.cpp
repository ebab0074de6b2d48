#include "tokens/Dpop.h"

#include "common/OneTimeSecrets.h"
#include "jose/JsonWebKey.h"
#include "jose/Jws.h"

namespace portico::identity
{

namespace
{

constexpr std::int64_t proofSkewSeconds = 30;
constexpr std::int64_t proofLifeSeconds = 60;
constexpr std::int64_t nonceWindowSeconds = 150;

struct ProofClaims
{
    std::string jti, htm, htu, ath, nonce;
    std::int64_t iat = 0;
};

constexpr auto schemaOf(const ProofClaims*)
{
    return describe(
        members<&ProofClaims::jti, &ProofClaims::htm, &ProofClaims::htu, &ProofClaims::ath, &ProofClaims::nonce, &ProofClaims::iat>());
}

} // namespace

std::string Dpop::nonceAt(std::int64_t window, std::string_view nonceKey) const
{
    return toBase64Url(hmacSha256(nonceKey, "dpop-nonce " + std::to_string(window)).bytes().substr(0, 16));
}

std::string Dpop::nonce(std::string_view nonceKey) const { return nonceAt(numericDate(_clock.now()) / nonceWindowSeconds, nonceKey); }

Dpop::Result Dpop::check(std::string_view proof, const DpopTarget& target, std::string_view nonceKey) const
{
    const auto jws = Jws::parse(proof);
    if (!jws || jws->typ != "dpop+jwt" || jws->jwk.empty()) return {};
    // Runs cheap checks first: anyone may send proofs, and verifying a signature is the most expensive step.
    const auto claims = jws->claims<ProofClaims>();
    if (!claims) return {};
    const auto now = numericDate(_clock.now());
    const auto url = std::string_view(claims->htu).substr(0, claims->htu.find_first_of("?#"));
    if (claims->htm != target.method || url != target.url || claims->jti.empty() || claims->jti.size() > 200) return {};
    if (claims->iat > now + proofSkewSeconds || claims->iat < now - proofLifeSeconds - proofSkewSeconds) return {};
    if (!target.accessToken.empty() && !sameSecret(claims->ath, toBase64Url(sha256(target.accessToken).bytes()))) return {};
    if (!nonceKey.empty())
    {
        const auto window = now / nonceWindowSeconds;
        if (claims->nonce != nonceAt(window, nonceKey) && claims->nonce != nonceAt(window - 1, nonceKey)) return {Verdict::NonceNeeded, {}};
    }
    const auto key = JsonWebKey::read(jws->jwk);
    if (!key || !jws->isSignedBy(*key)) return {};
    constexpr std::chrono::seconds life(proofLifeSeconds + 2 * proofSkewSeconds);
    if (!useOnce(_state, "dpop-proof", key->thumbprint() + ' ' + claims->jti, life)) return {};
    return {Verdict::Good, key->thumbprint()};
}

} // namespace portico::identity
