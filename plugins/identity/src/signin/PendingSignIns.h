#pragma once

#include "common/Core.h"
#include "common/OneTimeSecrets.h"
#include "factors/Factors.h"
#include "signin/SignInService.h"

#include <optional>
#include <string>
#include <string_view>

namespace portico::identity
{

/// A sign-in whose first proof was right, and that waits for a second factor.
struct PendingSignIn
{
    UserId userId;
    /// Of the hash of the password that was right: another password ends it.
    std::string passwordMark;
    std::string serviceId;
    std::string clientId;
    std::optional<OrganizationId> organizationId;
    bool remember = true;
    std::vector<std::string> amr;
    /// Without an organization: in personal context.
    bool personal = false;
    /// The first proof was that of a provider.
    std::optional<ProviderSession> provider;
};

constexpr auto schemaOf(const PendingSignIn*)
{
    return describe(members<&PendingSignIn::userId, &PendingSignIn::passwordMark, &PendingSignIn::serviceId, &PendingSignIn::clientId,
                            &PendingSignIn::organizationId, &PendingSignIn::remember, &PendingSignIn::amr, &PendingSignIn::personal,
                            &PendingSignIn::provider>());
}

/// `details` of 403 `mfa_required`.
struct MfaDemand
{
    std::string mfaToken;
    std::vector<FactorKind> factors;
    Instant expiresAt{};
};

constexpr auto schemaOf(const MfaDemand*) { return describe(members<&MfaDemand::mfaToken, &MfaDemand::factors, &MfaDemand::expiresAt>()); }

/// Sign-ins between their first and their second proof, in the StateStore: five minutes, five tries, one sign-in. Thread-safe.
class PendingSignIns
{
public:
    explicit PendingSignIns(Core& core) : _core(core), _pending(core.state, "mfa") {}

    static std::string markOf(const User& user);
    /// The refusal that asks for the second factor. It reveals that the password was right, so it comes after that only.
    Problem demand(const User& user, const SignInRequest& request, const std::vector<FactorKind>& factors);
    /// Counts a try. Empty: unknown, over, or tried too often.
    std::optional<PendingSignIn> attempt(std::string_view token);
    /// Of many that have proved it, one goes on.
    bool finish(std::string_view token);

private:
    Core& _core;
    OneTimeSecrets<PendingSignIn> _pending;
};

} // namespace portico::identity
