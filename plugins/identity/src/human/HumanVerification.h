#pragma once

#include "common/Settings.h"
#include "human/ProofOfWork.h"

#include "portico/HttpClient.h"
#include "portico/Problem.h"
#include "portico/Request.h"

#include <optional>
#include <string>
#include <string_view>

namespace portico::identity
{

/// Purpose of a proof. A proof is valid for one purpose.
enum class HumanPurpose : std::uint8_t
{
    DeveloperApply,
    AppSubmission,
    Register,
    Login,
    Waitlist,
    Demo,
    FreeWorkspace,
    Booking
};

constexpr auto schemaOf(const HumanPurpose*)
{
    using enum HumanPurpose;
    return portico::choices<HumanPurpose>({{"developer_apply", DeveloperApply},
                                           {"app_submission", AppSubmission},
                                           {"register", Register},
                                           {"login", Login},
                                           {"waitlist", Waitlist},
                                           {"demo", Demo},
                                           {"free_workspace", FreeWorkspace},
                                           {"booking", Booking}});
}

/// `humanVerification` of a body.
struct HumanProof
{
    /// Value `pow` or `turnstile`, from the challenge.
    std::string provider;
    std::string payload;
};

constexpr auto schemaOf(const HumanProof*)
{
    return describe(field<&HumanProof::provider>().required().maxLength(20), field<&HumanProof::payload>().required().maxLength(4096));
}

Problem humanVerificationFailed();
Problem challengeReplayed();

/// Distinguishes people from bots on routes without sign-in: by proof of work, or by a provider with the protocol of Cloudflare Turnstile.
/// Thread-safe.
class HumanVerification
{
public:
    HumanVerification(const Settings& settings, StateStore& state, const Clock& clock, HttpClient& http)
        : _settings(settings), _state(state), _http(http), _proofOfWork(state, clock, settings.human.cost, settings.lifetimes.challenge)
    {
    }

    /// Returns true if the purpose requires a proof. The operator decides for `login` and `booking`.
    bool asks(HumanPurpose purpose) const noexcept;
    /// Checks and consumes the proof if the purpose requires one; otherwise does nothing. Call it before any database access, and in a
    /// route that may block: it may call the provider, and checking the work takes some milliseconds.
    /// @throws Problem 428 `human_verification_required`, 400 `human_verification_failed`, 409 `challenge_replayed`, 503
    /// `provider_unreachable`
    void require(const Request& request, HumanPurpose purpose, const std::optional<HumanProof>& proof);

    /// `pow` or `turnstile`.
    std::string_view provider() const noexcept { return _settings.human.usesTurnstile() ? "turnstile" : "pow"; }
    const std::string& siteKey() const noexcept { return _settings.human.siteKey; }
    SignedChallenge challenge(HumanPurpose purpose) { return _proofOfWork.challenge(toString(purpose)); }

private:
    void requireTurnstile(const Request& request, HumanPurpose purpose, const std::string& token);

    const Settings& _settings;
    StateStore& _state;
    HttpClient& _http;
    ProofOfWork _proofOfWork;
};

} // namespace portico::identity
