#include "causes/ReviewCauses.h"

#include "portico/Json.h"

#include <utility>

namespace portico::launchpad
{

namespace
{
/// The members of `details` that events about reviews have.
struct ReviewDetails
{
    /// Status of an application that arrived.
    std::string status;
    /// Status that a reviewer has set.
    std::string to;
};

constexpr auto schemaOf(const ReviewDetails*) { return describe(members<&ReviewDetails::status, &ReviewDetails::to>()); }

ReviewDetails reviewOf(const IdentityEvent& change)
{
    return fromStoredJson<ReviewDetails>(change.details.text == "null" ? "{}" : change.details.text);
}

bool waitsForReview(std::string_view status) { return status == "submitted" || status == "in_review"; }

Action reviewAction(ActionKind kind, std::string title, std::string_view resourceType, const std::string& id)
{
    Action action;
    action.kind = kind;
    action.title = std::move(title);
    action.source = {"identity", std::string(resourceType), id};
    action.assigneeType = AssigneeType::Role;
    action.assigneeId = "admin";
    action.dedupeKey = std::string(toString(kind)) + ':' + id;
    return action;
}
} // namespace

void ReviewCauses::start()
{
    auto& events = _context.events();
    events.subscribe("identity.developer.status_changed", [this](const Event& event) { developerChanged(event); });
    events.subscribe("identity.app.review_pending", [this](const Event& event) { appChanged(event, true); });
    events.subscribe("identity.app.status_changed", [this](const Event& event) { appChanged(event, false); });
    events.subscribe("identity.service.incomplete", [this](const Event& event) { serviceChanged(event, true); });
    events.subscribe("identity.service.completed", [this](const Event& event) { serviceChanged(event, false); });
}

void ReviewCauses::developerChanged(const Event& event) const
{
    const auto change = fromStoredJson<IdentityEvent>(event.data);
    const auto [arrived, to] = reviewOf(change);
    const auto& status = to.empty() ? arrived : to;
    if (status.empty() || change.id.empty()) return;
    auto action = reviewAction(ActionKind::DeveloperReview, "Review the application of a developer", "developer", change.id);
    action.body = "Application " + change.id;
    follow(change.platformOrganizationId, std::move(action), waitsForReview(status), "The application was reviewed.");
}

void ReviewCauses::appChanged(const Event& event, bool submitted) const
{
    const auto change = fromStoredJson<IdentityEvent>(event.data);
    if (change.id.empty()) return;
    auto action = reviewAction(ActionKind::AppReview, "Review a submitted app", "app_submission", change.id);
    action.body = "Submission " + change.id;
    follow(change.platformOrganizationId, std::move(action), submitted || waitsForReview(reviewOf(change).to), "The app was reviewed.");
}

void ReviewCauses::serviceChanged(const Event& event, bool incomplete) const
{
    const auto change = fromStoredJson<IdentityEvent>(event.data);
    if (change.id.empty()) return;
    auto action = reviewAction(ActionKind::ServiceIncomplete, "Complete the registration of \"" + change.id + '"', "service", change.id);
    action.severity = Severity::Warning;
    action.body = "The manifest of this service is incomplete, so the service is not available.";
    follow(event.organizationId.empty() ? change.platformOrganizationId : event.organizationId, std::move(action), incomplete,
           "The registration is complete.");
}

void ReviewCauses::follow(std::string owner, Action action, bool waits, std::string_view why) const
{
    if (owner.empty()) return;
    const auto tenant = Tenant::fromStored(owner);
    _context.database().transact(
        [&](Transaction& transaction)
        {
            if (waits)
                _queue.open(transaction, tenant, action, "system");
            else
                _queue.close(transaction, tenant, action.dedupeKey, why);
        });
}

} // namespace portico::launchpad
