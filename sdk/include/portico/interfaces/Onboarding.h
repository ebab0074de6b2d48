#pragma once

#include "portico/Caller.h"
#include "portico/Services.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::interfaces
{

struct OnboardingStepState
{
    std::string id;
    std::string title;
    bool required = false;
    bool done = false;
};

/// Progress of an organization, or in personal context of a person, with the first steps in a service.
struct OnboardingState
{
    /// `not_started`, `in_progress` or `completed`.
    std::string status;
    std::vector<OnboardingStepState> steps;
    /// True if the caller may finish steps: in an organization this needs `identity.onboarding:manage`.
    bool manageable = false;
};

/// A person's recovery e-mail address. The address itself is never shown, not even to its owner.
struct RecoveryEmailState
{
    /// `missing`, `pending` or `verified`.
    std::string status = "missing";
    /// `j***@e***.org`; empty without a verified address.
    std::string maskedEmail;
    /// Waits for its code; empty if there is none.
    std::string pendingMaskedEmail;
    /// True while a verified address exists, also if another one is pending.
    bool verified = false;
};

/// Onboarding of a caller, equal to identity's routes below `/api/services/{service_id}/onboarding` and
/// `GET /api/auth/me/recovery-email`. Thread-safe.
class Onboarding : public ServiceInterface
{
public:
    static constexpr std::string_view interfaceName = "identity.onboarding";
    static constexpr std::string_view interfaceVersion = "1.0";
    /// @throws Problem 404 for a service that is not active; DatabaseError
    virtual OnboardingState state(const Caller& caller, std::string_view serviceId) = 0;
    /// Marks a step as done. @param data JSON text of an object that is stored with the step, at most 16 KiB, or empty
    /// @throws Problem 400 `unknown_step`, `invalid_value`, 403 `permission_denied`, 404
    virtual OnboardingState finishStep(const Caller& caller, std::string_view serviceId, std::string_view step, std::string_view data) = 0;
    /// Completes the onboarding; nothing changes if it is completed. @throws Problem 403 `permission_denied`, 404, 409
    /// `recovery_email_unverified`, `onboarding_steps_missing`
    virtual OnboardingState complete(const Caller& caller, std::string_view serviceId, std::string_view clientAddress) = 0;
    /// @throws DatabaseError
    virtual RecoveryEmailState recoveryEmail(const Caller& caller) = 0;
};

} // namespace portico::interfaces
