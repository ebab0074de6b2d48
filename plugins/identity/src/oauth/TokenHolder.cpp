#include "oauth/TokenHolder.h"

#include "clients/OAuthClient.h"
#include "common/Requests.h"

namespace portico::identity
{

void requireHolder(const Dpop& dpop, const interfaces::Credential& credential, const AccessClaims& claims)
{
    using enum interfaces::Credential::Presented;
    if (credential.presented == Proven || (credential.presented == Bearer && !claims.cnf)) return;
    const auto refusal = [](std::string_view why)
    {
        auto problem = invalidToken(why);
        problem.withHeader("WWW-Authenticate",
                           R"(DPoP realm="portico", error="invalid_dpop_proof", algs=")" + std::string(dpopAlgorithms) + '"');
        return problem;
    };
    // A bound token without its proof may be stolen; a proof without a bound token proves nothing (RFC 9449, 7.1 and 7.2).
    if (credential.presented == Bearer || !claims.cnf) throw refusal("dpop_required");
    const auto proof = dpop.check(
        credential.proof, {name(credential.method), std::string(credential.origin) + std::string(credential.path), credential.value});
    if (proof.verdict != Dpop::Verdict::Good || proof.jkt != claims.cnf->jkt) throw refusal("dpop_proof_invalid");
}

bool isDelegated(Session& session, const Catalog& catalog, const SignIn& signIn, const AccessClaims& claims)
{
    const auto* service = catalog.find(claims.aud);
    if (signIn.clientId != claims.clientId || (service && service->publisherId)) return true;
    if (!claims.clientId.starts_with(clientIdPrefix)) return false;
    const auto client = oauth_clients::find(session, claims.clientId);
    return !client || !client->firstParty;
}

} // namespace portico::identity
