#include "human/HumanVerification.h"

#include "common/OneTimeSecrets.h"

#include "portico/Crypto.h"
#include "portico/Json.h"

#include <chrono>

namespace portico::identity
{

namespace
{

/// Exceeds the lifetime of Turnstile's tokens.
constexpr std::chrono::seconds turnstileLife{600};
constexpr std::chrono::seconds turnstileTimeout{5};

struct TurnstileQuestion
{
    std::string secret;
    std::string response;
    std::string remoteip;
};

constexpr auto schemaOf(const TurnstileQuestion*)
{
    return describe(members<&TurnstileQuestion::secret, &TurnstileQuestion::response, &TurnstileQuestion::remoteip>());
}

/// Members of Turnstile's answer that are read.
struct TurnstileAnswer
{
    bool success = false;
    std::vector<std::string> errorCodes;
    /// Action that the page has set.
    std::string action;
};

constexpr auto schemaOf(const TurnstileAnswer*)
{
    return describe(field<&TurnstileAnswer::success>(), field<&TurnstileAnswer::errorCodes>("error-codes"),
                    field<&TurnstileAnswer::action>());
}

Problem providerUnreachable() { return Problem::unavailable("provider_unreachable", "The proof cannot be checked now.", 5); }

} // namespace

Problem humanVerificationFailed()
{
    return Problem::badRequest("human_verification_failed", "The proof is not right, or too old: ask for a new challenge.");
}

Problem challengeReplayed() { return Problem::conflict("challenge_replayed", "This challenge was used before: ask for a new one."); }

bool HumanVerification::asks(HumanPurpose purpose) const noexcept
{
    switch (purpose)
    {
    case HumanPurpose::Login:
        return _settings.human.login;
    case HumanPurpose::Booking:
        return _settings.human.booking;
    default:
        return true;
    }
}

void HumanVerification::require(const Request& request, HumanPurpose purpose, const std::optional<HumanProof>& proof)
{
    if (!asks(purpose)) return;
    if (!proof) throw Problem(428, "human_verification_required", "Send a solved challenge of GET /api/public/human-verification.");
    if (proof->provider != provider()) throw humanVerificationFailed();
    if (_settings.human.usesTurnstile())
        requireTurnstile(request, purpose, proof->payload);
    else
        _proofOfWork.require(toString(purpose), proof->payload);
}

void HumanVerification::requireTurnstile(const Request& request, HumanPurpose purpose, const std::string& token)
{
    const TurnstileQuestion question{_settings.human.secret, token, std::string(request.clientAddress)};
    HttpClient::Response answer;
    try
    {
        answer = _http.send({.method = "POST",
                             .url = _settings.human.verifyUrl,
                             .headers = {{"Content-Type", "application/json"}},
                             .body = toJson(question),
                             .timeout = turnstileTimeout,
                             .maxResponseBytes = 65'536});
    }
    catch (const HttpFailure&)
    {
        throw providerUnreachable();
    }
    if (answer.status != 200) throw providerUnreachable();
    TurnstileAnswer verdict;
    try
    {
        verdict = fromStoredJson<TurnstileAnswer>(answer.body);
    }
    catch (const Problem&)
    {
        throw providerUnreachable();
    }
    if (!verdict.success || verdict.action != toString(purpose)) throw humanVerificationFailed();
    // The provider rejects a reused token too; this rejects concurrent requests.
    if (!useOnce(_state, "human-token", token, turnstileLife)) throw challengeReplayed();
}

} // namespace portico::identity
