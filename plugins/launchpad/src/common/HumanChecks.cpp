#include "common/HumanChecks.h"

#include "common/LocalCall.h"

#include "portico/Json.h"

#include <chrono>

namespace portico::launchpad
{

namespace
{
struct ProofToCheck
{
    std::string purpose;
    std::optional<HumanProof> humanVerification;

    friend constexpr auto schemaOf(const ProofToCheck*)
    {
        return describe(field<&ProofToCheck::purpose>(), field<&ProofToCheck::humanVerification>().omitEmpty());
    }
};

constexpr std::chrono::minutes providerLife{1};
constexpr std::string_view widgetProvider = "turnstile";

struct Challenge
{
    std::string provider;
    std::string siteKey;

    friend constexpr auto schemaOf(const Challenge*) { return describe(members<&Challenge::provider, &Challenge::siteKey>()); }
};
} // namespace

void HumanChecks::require(const Request& request, std::string_view purpose, const std::optional<HumanProof>& proof) const
{
    const auto response = callLocally(_context, request, "identity", "/api/public/human-verification/checks",
                                      toJson(ProofToCheck{std::string(purpose), proof}));
    if (!response || response->status >= 500)
        throw Problem::unavailable("validation_unavailable", "Human verification is temporarily unavailable. Try again in a moment.");
    if (response->status != 204) throw problemOf(*response);
}

std::string HumanChecks::siteKey(const Request& request) const
{
    const auto now = _context.clock().now();
    {
        const std::lock_guard lock(_mutex);
        if (now < _askAgainAt) return _siteKey;
    }
    // If identity does not respond, the page requests a challenge itself, and shows an error if there is none.
    const auto response = callLocally(_context, request, "identity", "/api/public/human-verification?purpose=waitlist");
    Challenge challenge;
    if (response && response->status == 200) challenge = fromStoredJson<Challenge>(response->body);
    const std::lock_guard lock(_mutex);
    _siteKey = challenge.provider == widgetProvider ? challenge.siteKey : std::string();
    _askAgainAt = now + providerLife;
    return _siteKey;
}

} // namespace portico::launchpad
