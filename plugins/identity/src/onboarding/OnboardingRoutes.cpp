#include "onboarding/OnboardingRoutes.h"

#include "audit/Audit.h"
#include "catalog/CatalogStore.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

constexpr std::size_t longestStepData = 16 * 1024;

const CatalogService& requireService(const Catalog& catalog, const std::string& serviceId)
{
    const auto* service = catalog.find(serviceId);
    if (!service || !service->active()) throw Problem::notFound("There is no such service.");
    return *service;
}

OnboardingView onboardingView(const CatalogService& service, const Caller& caller, const OnboardingProgress& progress, std::int64_t version)
{
    OnboardingView view;
    view.serviceId = service.serviceId;
    view.organizationId = OrganizationId::parse(caller.organizationId);
    view.status = progress.status;
    view.currentStep = currentStep(service, progress);
    for (const auto& step : service.onboardingSteps) view.steps.push_back({step.id, step.title, step.required, progress.isDone(step.id)});
    view.data = progress.data;
    view.completedAt = progress.completedAt;
    view.version = version;
    return view;
}

struct MissingSteps
{
    std::vector<std::string> missing;
};

constexpr auto schemaOf(const MissingSteps*) { return describe(field<&MissingSteps::missing>()); }

} // namespace

void OnboardingRoutes::declare(Routes& routes)
{
    const std::string_view place = "/api/services/{service_id}/onboarding";
    const auto manage = access::bearer("onboarding:manage").orPersonal();
    routes
        .get(place, access::bearer().inOrganization(), &OnboardingRoutes::show, this,
             {.summary = "Read the onboarding progress of a service", .onEveryOrigin = true})
        .patch(place, manage, &OnboardingRoutes::update, this, {.summary = "Complete an onboarding step", .onEveryOrigin = true})
        .post("/api/services/{service_id}/onboarding/complete", manage, &OnboardingRoutes::complete, this,
              {.summary = "Complete the onboarding of a service",
               .onEveryOrigin = true,
               .idempotencyKey = false,
               .problems = {"409 recovery_email_unverified", "409 onboarding_steps_missing"}});
}

OnboardingView OnboardingRoutes::show(const Caller& caller, const Path<std::string>& serviceId) const
{
    const auto catalog = _core.catalog.snapshot();
    const auto& service = requireService(*catalog, *serviceId);
    const auto progress = _core.read([&](Session& session) { return onboardingTable.find(session, caller.tenantOrSelf(), *serviceId); });
    return onboardingView(service, caller, progress.value_or(OnboardingProgress()), progress ? progress->version : 0);
}

template <class F>
OnboardingView OnboardingRoutes::change(const Caller& caller, const std::string& serviceId, const IfMatch& match, F edit)
{
    const auto catalog = _core.catalog.snapshot();
    const auto& service = requireService(*catalog, serviceId);
    const auto now = _core.clock.now();
    // No running credential sees any of this, but two steps of one owner at once wait for each other.
    return _core.changes.run({caller.tenantOrSelf()},
                             [&](Transaction& transaction)
                             {
                                 const auto owner = caller.tenantOrSelf();
                                 if (!onboardingTable.exists(transaction, owner, serviceId))
                                 {
                                     match.require(0);
                                     OnboardingProgress fresh;
                                     fresh.serviceId = serviceId;
                                     fresh = onboardingTable.stamped(std::move(fresh), {now, {}});
                                     fresh.serviceId = serviceId;
                                     fresh.version = 0;
                                     onboardingTable.insert(transaction, owner, fresh);
                                 }
                                 const OnboardingProgress progress =
                                     onboardingTable.change(transaction, owner, serviceId, match, {now, {}},
                                                            [&](OnboardingProgress& edited) { edit(transaction, service, edited, now); });
                                 return onboardingView(service, caller, progress, progress.version);
                             });
}

OnboardingView OnboardingRoutes::update(const Caller& caller, const Path<std::string>& serviceId, const Body<StepInput>& input,
                                        const IfMatch& match)
{
    return change(caller, *serviceId, match,
                  [&](Transaction&, const CatalogService& service, OnboardingProgress& progress, Instant)
                  {
                      if (std::ranges::find(service.onboardingSteps, input->step, &OnboardingStep::id) == service.onboardingSteps.end())
                          throw Problem::invalid("step", "unknown_step", "The service has no such step.");
                      if (input.has("data") && input->data.text != "null")
                      {
                          if (!input->data.text.starts_with('{') || input->data.text.size() > longestStepData)
                              throw Problem::invalid("data", "invalid_value", "An object of at most 16 KiB.");
                          progress.data[input->step] = input->data;
                      }
                      if (!progress.isDone(input->step)) progress.done.push_back(input->step);
                      if (progress.status == OnboardingStatus::NotStarted) progress.status = OnboardingStatus::InProgress;
                  });
}

OnboardingView OnboardingRoutes::complete(const Caller& caller, const Request& request, const Path<std::string>& serviceId,
                                          const IfMatch& match)
{
    return change(
        caller, *serviceId, match,
        [&](Transaction& transaction, const CatalogService& service, OnboardingProgress& progress, Instant now)
        {
            if (progress.status == OnboardingStatus::Completed) return;
            const auto user = UserId::parse(caller.principalId);
            if (!user || !hasVerifiedRecoveryEmail(transaction, *user))
                throw Problem::conflict("recovery_email_unverified", "Verify a recovery address first.");
            if (auto missing = missingSteps(service, progress); !missing.empty())
                throw Problem::conflict("onboarding_steps_missing", "Steps are left.").withDetails(MissingSteps{std::move(missing)});
            progress.status = OnboardingStatus::Completed;
            progress.completedAt = now;
            AuditLog::of(request, now).record(transaction, "service.onboarded", service.serviceId);
        });
}

} // namespace portico::identity
