#include "onboarding/OnboardingRoutes.h"

#include "common/Ids.h"

namespace portico::launchpad
{

namespace
{
constexpr std::string_view organizationStep = "organization";

OnboardingStep nextStep(const Caller& caller, const interfaces::RecoveryEmailState& recovery, const interfaces::OnboardingState& service)
{
    if (!recovery.verified) return OnboardingStep::RecoveryEmail;
    if (caller.organizationId.empty()) return OnboardingStep::Done;
    // Members can use the app before the setup is complete; a banner informs them.
    return service.status != "completed" && service.manageable ? OnboardingStep::Organization : OnboardingStep::Done;
}
} // namespace

void OnboardingRoutes::declare(Routes& routes)
{
    routes
        .get("/api/onboarding", access::bearer(), &OnboardingRoutes::show, this,
             {.summary = "Read the next onboarding step", .problems = {"503 onboarding_unavailable"}})
        .post("/api/onboarding/complete", access::bearer().inPerson(), &OnboardingRoutes::complete, this,
              {.summary = "Complete the onboarding",
               .idempotencyKey = false,
               .problems = {"409 recovery_email_unverified", "409 onboarding_steps_missing", "503 onboarding_unavailable"}});
}

Leased<interfaces::Onboarding> OnboardingRoutes::require() const
{
    auto onboarding = _context.services().find<interfaces::Onboarding>();
    if (!onboarding)
        throw Problem::unavailable("onboarding_unavailable", "The onboarding steps cannot be read at the moment. Try again later.");
    return onboarding;
}

OnboardingView OnboardingRoutes::viewOf(const Caller& caller) const
{
    const auto onboarding = require();
    const auto recovery = onboarding->recoveryEmail(caller);
    const auto service = onboarding->state(caller, ownServiceId);
    OnboardingView view;
    view.step = nextStep(caller, recovery, service);
    view.recoveryEmail = {recovery.status, recovery.maskedEmail, recovery.pendingMaskedEmail, recovery.verified};
    view.service.status = service.status;
    view.service.manageable = service.manageable;
    for (const auto& step : service.steps) view.service.steps.push_back({step.id, step.title, step.required, step.done});
    view.next = view.step == OnboardingStep::Done ? "/dashboard" : "/onboarding";
    return view;
}

OnboardingView OnboardingRoutes::show(const Caller& caller) const { return viewOf(caller); }

CompleteAnswer OnboardingRoutes::complete(const Caller& caller, const Request& request, const Body<CompleteInput>& input) const
{
    const auto onboarding = require();
    const auto state = onboarding->state(caller, ownServiceId);
    if (state.status == "completed") return {"/dashboard"};
    if (!onboarding->recoveryEmail(caller).verified)
        throw Problem::conflict("recovery_email_unverified", "Verify a recovery address first.");
    onboarding->finishStep(caller, ownServiceId, organizationStep, input->data.text == "null" ? std::string() : input->data.text);
    onboarding->complete(caller, ownServiceId, request.clientAddress);
    return {"/dashboard"};
}

} // namespace portico::launchpad
