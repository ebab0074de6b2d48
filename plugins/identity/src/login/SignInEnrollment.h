#pragma once

#include "factors/SecondFactors.h"
#include "signin/PendingSignIns.h"
#include "signin/SignInFlow.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// Content of `details` in 403 `org_policy_mfa_required` for the sign-in page, which does not forward it.
struct EnrollmentDemand
{
    std::string token;
};

constexpr auto schemaOf(const EnrollmentDemand*) { return describe(field<&EnrollmentDemand::token>()); }

/// Authenticator app to set up, as a page shows it.
struct OfferedApp
{
    std::string secret;
    std::string otpauthUri;
    std::string qrSvg;
};

/// Result of a sign-in that has set up an app.
struct EnrolledSignIn
{
    Reply<TokenResponse> reply;
    /// The page shows them once.
    std::vector<std::string> recoveryCodes;
};

/// Sets up an authenticator app during a sign-in at identity's own page, for users without a second factor whose organization requires one.
/// The setup has the lifetime and the limits of a sign-in that waits for a second factor. Thread-safe.
class SignInEnrollment
{
public:
    SignInEnrollment(Core& core, SignInFlow& flow, SecondFactors& secondFactors)
        : _core(core), _flow(flow), _secondFactors(secondFactors), _pending(core, "mfa-enrollment")
    {
    }

    /// Begins the setup for a user who has no second factor. Call it only after the first proof.
    /// @return 403 `org_policy_mfa_required` with an EnrollmentDemand
    /// @throws Problem 403 like `SignInService::start` if another rule rejects the sign-in
    Problem demand(const User& user, SignInRequest wanted);
    /// Returns none if the token is unknown or expired.
    std::optional<OfferedApp> offered(std::string_view token) const;
    /// Verifies the first code, then stores the app and starts the sign-in in one transaction.
    /// @throws Problem 401 `invalid_code`, 410 `mfa_expired`, 429 `too_many_attempts`, 403 like `SignInService::start`
    EnrolledSignIn complete(const Request& request, std::string_view token, std::string_view code);

private:
    /// Returns the period of the code. @throws Problem 401 `invalid_code`
    std::int64_t requireCode(const Request& request, const User& user, const PendingSignIn& pending, std::string_view code);

    Core& _core;
    SignInFlow& _flow;
    SecondFactors& _secondFactors;
    PendingSignIns _pending;
};

} // namespace portico::identity
