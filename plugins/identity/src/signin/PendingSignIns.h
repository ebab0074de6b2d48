#pragma once

#include "common/Core.h"
#include "common/OneTimeSecrets.h"
#include "factors/Factors.h"
#include "signin/SignInRequest.h"

#include <optional>
#include <string>
#include <string_view>

namespace portico::identity
{

/// Sign-in after a successful first proof, which waits for a second factor.
struct PendingSignIn
{
    UserId userId;
    /// Derived from the hash of the verified password: changing the password invalidates the sign-in.
    std::string passwordMark;
    std::string serviceId;
    std::string clientId;
    std::optional<OrganizationId> organizationId;
    bool remember = true;
    std::vector<std::string> amr;
    /// True if no organization is set because of personal context.
    bool personal = false;
    /// Set if a provider was the first proof.
    std::optional<ProviderSession> provider;

    /// Continues with what the first proof was for.
    void resume(SignInRequest& wanted) const;
};

constexpr auto schemaOf(const PendingSignIn*)
{
    return describe(members<&PendingSignIn::userId, &PendingSignIn::passwordMark, &PendingSignIn::serviceId, &PendingSignIn::clientId,
                            &PendingSignIn::organizationId, &PendingSignIn::remember, &PendingSignIn::amr, &PendingSignIn::personal,
                            &PendingSignIn::provider>());
}

/// Content of `details` in 403 `mfa_required`.
struct MfaDemand
{
    std::string mfaToken;
    std::vector<FactorKind> factors;
    Instant expiresAt{};
};

constexpr auto schemaOf(const MfaDemand*) { return describe(members<&MfaDemand::mfaToken, &MfaDemand::factors, &MfaDemand::expiresAt>()); }

/// Sign-ins between the first and the second proof, in the StateStore: five minutes, five attempts, one sign-in. Thread-safe.
class PendingSignIns
{
public:
    explicit PendingSignIns(Core& core) : _core(core), _pending(core.state, "mfa") {}

    static std::string markOf(const User& user);
    /// Returns the refusal that asks for the second factor. It reveals that the password was right, so call it only after that check.
    Problem demand(const User& user, const SignInRequest& request, const std::vector<FactorKind>& factors);
    /// Counts an attempt. Returns none if the sign-in is unknown or expired, or after too many attempts.
    std::optional<PendingSignIn> attempt(std::string_view token);
    /// Returns true for only one of several concurrent successes.
    bool finish(std::string_view token);

private:
    Core& _core;
    OneTimeSecrets<PendingSignIn> _pending;
};

} // namespace portico::identity
