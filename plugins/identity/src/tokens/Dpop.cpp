#include "tokens/Dpop.h"

#include "tokens/JsonWebKey.h"

#include "portico/Crypto.h"
#include "portico/Json.h"
#include "portico/Problem.h"
#include "portico/Schema.h"

#include <chrono>

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

std::optional<ProofClaims> readProof(const std::string& payload)
{
    try
    {
        return fromStoredJson<ProofClaims>(payload);
    }
    catch (const Problem&)
    {
        return std::nullopt;
    }
}

std::int64_t secondsOf(const Clock& clock) { return std::chrono::floor<std::chrono::seconds>(clock.now()).time_since_epoch().count(); }

} // namespace

std::string Dpop::nonceAt(std::int64_t window, std::string_view nonceKey) const
{
    return toBase64Url(hmacSha256(nonceKey, "dpop-nonce " + std::to_string(window)).bytes().substr(0, 16));
}

std::string Dpop::nonce(std::string_view nonceKey) const { return nonceAt(secondsOf(_clock) / nonceWindowSeconds, nonceKey); }

Dpop::Result Dpop::check(std::string_view proof, const DpopTarget& target, std::string_view nonceKey) const
{
    const auto jws = ForeignJws::parse(proof);
    if (!jws || jws->typ != "dpop+jwt" || jws->jwk.empty()) return {};
    // Runs cheap checks first: anyone may send proofs, and verifying a signature is the most expensive step.
    const auto claims = readProof(jws->payload);
    if (!claims) return {};
    const auto now = secondsOf(_clock);
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
    if (!key || !key->verify(jws->alg, jws->signedPart, jws->signature)) return {};
    const auto mark = "dpop-proof:" + sha256(key->thumbprint() + ' ' + claims->jti).hex();
    if (!_state.compareAndSet(mark, 0, "1", std::chrono::seconds(proofLifeSeconds + 2 * proofSkewSeconds))) return {};
    return {Verdict::Good, key->thumbprint()};
}

} // namespace portico::identity
