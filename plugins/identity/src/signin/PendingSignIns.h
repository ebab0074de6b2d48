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

/// Sign-in after a successful first proof, which waits for a second factor, or for the setup of one.
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
    /// Secret of the authenticator app to set up, sealed as in `TotpFactor`. Empty if the user has a factor.
    std::string appSecret;

    /// Continues with what the first proof was for.
    void resume(SignInRequest& wanted) const;
};

constexpr auto schemaOf(const PendingSignIn*)
{
    return describe(members<&PendingSignIn::userId, &PendingSignIn::passwordMark, &PendingSignIn::serviceId, &PendingSignIn::clientId,
                            &PendingSignIn::organizationId, &PendingSignIn::remember, &PendingSignIn::amr, &PendingSignIn::personal,
                            &PendingSignIn::provider, &PendingSignIn::appSecret>());
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
    /// @param use tokens of one use are unknown to another
    explicit PendingSignIns(Core& core, std::string_view use = "mfa") : _core(core), _pending(core.state, use) {}

    static std::string markOf(const User& user);
    static Problem expired();
    /// Stores a sign-in and returns its token. Call it only after the first proof.
    std::string issue(const User& user, const SignInRequest& request, const std::string& appSecret = {});
    /// Returns the refusal that asks for the second factor. It reveals that the password was right, so call it only after that check.
    Problem demand(const User& user, const SignInRequest& request, const std::vector<FactorKind>& factors);
    std::optional<PendingSignIn> look(std::string_view token) const { return _pending.look(token); }
    /// Counts an attempt. Returns none if the sign-in is unknown or expired, or after too many attempts.
    std::optional<PendingSignIn> attempt(std::string_view token);
    /// Returns the user of the sign-in. @throws Problem 410 `mfa_expired`, also if the account has changed in the meantime
    User requireUser(const PendingSignIn& pending) const;
    /// Returns true for only one of several concurrent successes.
    bool finish(std::string_view token);

private:
    Core& _core;
    OneTimeSecrets<PendingSignIn> _pending;
};

} // namespace portico::identity
