#include "access/PermissionRoutes.h"

#include "catalog/CatalogStore.h"
#include "clients/ServicePrincipal.h"
#include "sessions/SignIn.h"

#include <algorithm>
#include <map>

namespace portico::identity
{

namespace
{

/// The service of a permission that the catalog has. @return null for all else
const CatalogService* serviceOf(const Catalog& catalog, std::string_view permission)
{
    const auto* service = catalog.find(permission.substr(0, permission.find('.')));
    return service && service->hasPermission(permission) ? service : nullptr;
}

/// Returns the user's last context in a service, for a backend that asks without naming a context.
std::optional<OrganizationId> lastContext(Session& session, const UserId& user, std::string_view serviceId)
{
    return sign_ins::lastContext(session, user.text(), serviceId).value_or(std::nullopt);
}

/// The people of one batch, each read once.
class Batch
{
public:
    Batch(Session& session, const Caller& caller, Instant now) : _session(session)
    {
        if (!caller.isServicePrincipal()) _actor.emplace(session, caller, now);
    }

    const PersonAccess& person(const PermissionQuestion& question, std::size_t index)
    {
        if (!question.userId && !_actor)
            throw Problem::invalid("checks[" + std::to_string(index) + "].userId", "required",
                                   "A service has no permissions; name a user.");
        const UserId user = question.userId ? *question.userId : _actor->userId();
        const auto service = question.permission.substr(0, question.permission.find('.'));
        // Users are evaluated in the actor's context; for a service's question, in their last context there.
        const auto place = std::pair(user, _actor ? std::string() : service);
        const auto known = _people.find(place);
        if (known != _people.end()) return known->second;
        return _people.emplace(place, _actor ? requireSubject(_session, *_actor, user, {}) : read(user, service)).first->second;
    }

private:
    PersonAccess read(const UserId& id, std::string_view serviceId)
    {
        auto user = users::find(_session, id.text());
        if (!user) throw Problem::notFound();
        return {_session, *std::move(user), lastContext(_session, id, serviceId), std::nullopt};
    }

    Session& _session;
    std::optional<Actor> _actor;
    std::map<std::pair<UserId, std::string>, PersonAccess> _people;
};

void checkResource(const PermissionQuestion& question, std::size_t index)
{
    if (!question.resource) return;
    const auto colon = question.resource->find(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == question.resource->size())
        throw Problem::invalid("checks[" + std::to_string(index) + "].resource", "invalid_resource", "A resource is written as type:id.");
}

PermissionAnswer answer(const Catalog& catalog, const PersonAccess& person, const std::string& permission, Instant now)
{
    const auto* service = serviceOf(catalog, permission);
    if (!service) return {false, "unknown_permission"};
    const auto input = person.input(service->serviceId);
    const auto decision = Evaluation(*service, input, now).of(permission);
    return {decision.allowed, std::string(decision.decidedBy())};
}

} // namespace

void PermissionRoutes::declare(Routes& routes)
{
    routes
        .get("/api/users/{userId}/permissions", access::bearer().forAdmins().orSelf("userId"), &PermissionRoutes::inspect, this,
             {.summary = "List a user's permissions and their sources"})
        .get("/api/users/{userId}/permissions/explain", access::bearer().forAdmins().orSelf("userId"), &PermissionRoutes::explain, this,
             {.summary = "Explain a permission decision, and what would change it", .problems = {"404 unknown_permission"}})
        .post("/api/permissions/check", access::bearer().orService(), &PermissionRoutes::check, this,
              {.summary = "Check up to 100 permissions", .idempotencyKey = false});
}

PermissionInspection PermissionRoutes::inspect(const Caller& caller, const Path<UserId>& userId, const Query<InspectionQuery>& query) const
{
    const auto catalog = _core.catalog.snapshot();
    const auto now = _core.clock.now();
    auto session = _core.database.snapshot();
    const Actor actor(session, caller, now);
    const auto person = requireSubject(session, actor, *userId, *query);
    return identity::inspect(*catalog, person, query->serviceId, now);
}

PermissionExplanation PermissionRoutes::explain(const Caller& caller, const Path<UserId>& userId, const Query<ExplainQuery>& query) const
{
    const auto catalog = _core.catalog.snapshot();
    const auto now = _core.clock.now();
    auto session = _core.database.snapshot();
    const Actor actor(session, caller, now);
    const auto person = requireSubject(session, actor, *userId, *query);
    const auto* service = serviceOf(*catalog, query->permission);
    if (!service) throw Problem(404, "unknown_permission", "No service has this permission.");
    return identity::explain(*service, person, query->permission, now);
}

PermissionCheckResult PermissionRoutes::check(const Caller& caller, const Body<PermissionCheckInput>& input) const
{
    const auto catalog = _core.catalog.snapshot();
    const auto now = _core.clock.now();
    auto session = _core.database.snapshot();
    Batch batch(session, caller, now);
    PermissionCheckResult result;
    result.revision = caller.revision;
    for (std::size_t i = 0; i < input->checks.size(); ++i)
    {
        const auto& question = input->checks[i];
        checkResource(question, i);
        requireOwnService(*catalog, caller, question.permission.substr(0, question.permission.find('.')));
        const auto& person = batch.person(question, i);
        if (result.revision == 0) result.revision = person.user().revision;
        result.results.push_back(answer(*catalog, person, question.permission, now));
    }
    return result;
}

} // namespace portico::identity
