#include "preferences/PreferenceRoutes.h"

#include "preferences/OrgSettings.h"
#include "preferences/ServiceLists.h"
#include "preferences/SharedMembers.h"

#include <utility>

namespace portico::launchpad
{

namespace
{

Preferences defaults(const std::string& userId, Instant now)
{
    Preferences fresh;
    fresh.userId = userId;
    fresh.version = 0;
    fresh.createdAt = fresh.updatedAt = now;
    return fresh;
}

/// Lists that a person has not chosen are those of the organization.
void fillIn(Preferences& preferences, OrgSettings settings)
{
    if (!preferences.pinned) preferences.pinned = std::move(settings.defaultPinned);
    if (!preferences.order) preferences.order = std::move(settings.defaultOrder);
}

bool concernsShared(const Patch<Preferences>& patch) { return patch.has("theme") || patch.has("density") || patch.has("locale"); }

/// Checks the merged record as far as the patch names its members. @throws Problem 400, 413
void check(const ServiceLists& lists, const Preferences& preferences, const Patch<Preferences>& patch)
{
    if (patch.has("pinned") && preferences.pinned) lists.require(*preferences.pinned, "pinned");
    if (patch.has("order") && preferences.order) lists.require(*preferences.order, "order");
    if (patch.has("hidden")) lists.require(preferences.hidden, "hidden");
    if (patch.has("folders")) lists.require(preferences.folders);
    if (patch.has("widgets")) lists.require(preferences.widgets);
    if (toJson(preferences).size() > maxPreferenceBytes) throw Problem::tooLarge("Preferences are limited to 64 KiB.");
}

} // namespace

void PreferenceRoutes::declare(Routes& routes)
{
    routes
        .get("/api/preferences", access::bearerOrKey("preferences:manage", "settings.read"), &PreferenceRoutes::show, this,
             {.summary = "Read the caller's dashboard"})
        .patch("/api/preferences", access::bearerOrKey("preferences:manage", "settings.write"), &PreferenceRoutes::change, this,
               {.summary = "Change the caller's dashboard",
                .problems = {"400 unknown_service", "413 payload_too_large", "503 preferences_unavailable"}})
        .post("/api/preferences/reset", access::bearerOrKey("preferences:manage", "settings.write"), &PreferenceRoutes::reset, this,
              {.summary = "Reset the caller's dashboard", .idempotencyKey = false});
}

PreferenceRoutes::Place PreferenceRoutes::placeOf(const Caller& caller, const std::optional<PreferenceContext>& wanted)
{
    if (!UserId::parse(caller.principalId)) throw Problem::forbidden("permission_denied", "Only users have preferences.");
    const bool inOrganization = !caller.organizationId.empty();
    const bool personal = wanted ? *wanted == PreferenceContext::Personal : !inOrganization;
    if (!personal && !inOrganization) throw Problem::invalid("context", "not_active", "The active context is personal.");
    if (personal && inOrganization && caller.credential == CredentialKind::ApiKey)
        throw Problem::forbidden("permission_denied", "This key can access only its organization.");
    return {personal ? caller.principalId : caller.organizationId, caller.principalId};
}

Preferences PreferenceRoutes::show(const Caller& caller, const Query<PreferenceQuery>& query) const
{
    return shown(caller, placeOf(caller, query->context));
}

Preferences PreferenceRoutes::shown(const Caller& caller, const Place& place, std::optional<Preferences> written) const
{
    auto preferences = [&]
    {
        auto session = _context.database().snapshot();
        auto found =
            written ? std::move(*written)
                    : preferenceTable.find(session, place.owner(), place.userId).value_or(defaults(place.userId, _context.clock().now()));
        auto settings = org_settings::find(session, place.owner());
        if (settings.announcement && settings.announcement->until.value_or(Instant::max()) > _context.clock().now())
            found.announcement = settings.announcement;
        fillIn(found, std::move(settings));
        return found;
    }();
    preferences.context = place.owner().isUser() ? "personal" : "organization";
    if (!place.owner().isUser()) preferences.organizationId = place.tenant;
    ServiceLists(*_registry.apps()).clean(preferences);
    shared_members::read(_context, caller, preferences);
    return preferences;
}

Preferences PreferenceRoutes::change(const Caller& caller, const Query<PreferenceQuery>& query, const Body<Patch<Preferences>>& patch,
                                     const IfMatch& ifMatch) const
{
    const auto place = placeOf(caller, query->context);
    const auto now = _context.clock().now();
    if (concernsShared(*patch)) shared_members::requireProvider(_context);
    // Before the transaction, because it asks identity.
    const auto apps = _registry.apps();
    auto merged = _context.database().transact(
        [&](Transaction& transaction)
        {
            preferenceTable.insertIfAbsent(transaction, place.owner(), defaults(place.userId, now));
            return preferenceTable.change(transaction, place.owner(), place.userId, ifMatch, {now, caller.principalId},
                                          [&](Preferences& record)
                                          {
                                              patch->applyTo(record);
                                              check(ServiceLists(*apps), record, *patch);
                                              if (concernsShared(*patch)) ++record.sharedChanges;
                                          });
        });
    // Identity stores these. The version above decides which of two concurrent writers comes first.
    if (concernsShared(*patch)) shared_members::write(_context, caller, merged, *patch);
    return shown(caller, place, std::move(merged));
}

Preferences PreferenceRoutes::reset(const Caller& caller, const Body<PreferenceQuery>& body, const IfMatch& ifMatch) const
{
    const auto place = placeOf(caller, body->context);
    const auto now = _context.clock().now();
    auto written = _context.database().transact(
        [&](Transaction& transaction)
        {
            preferenceTable.insertIfAbsent(transaction, place.owner(), defaults(place.userId, now));
            return preferenceTable.change(transaction, place.owner(), place.userId, ifMatch, {now, caller.principalId},
                                          [&](Preferences& record)
                                          {
                                              auto fresh = defaults(place.userId, record.createdAt);
                                              fresh.version = record.version;
                                              fresh.updatedAt = record.updatedAt;
                                              fresh.sharedChanges = record.sharedChanges;
                                              record = std::move(fresh);
                                          });
        });
    return shown(caller, place, std::move(written));
}

std::map<std::string, DashboardPlace> PreferenceRoutes::placesOf(Session& session, const Caller& caller)
{
    const auto owner = caller.tenantOrSelf();
    auto preferences = preferenceTable.find(session, owner, caller.principalId).value_or(Preferences());
    fillIn(preferences, org_settings::find(session, owner));
    std::map<std::string, DashboardPlace> places;
    for (const auto& id : *preferences.pinned) places[id].pinned = true;
    for (const auto& id : preferences.hidden) places[id].hidden = true;
    for (const auto& folder : preferences.folders)
        for (const auto& id : folder.serviceIds) places[id].folderId = folder.id;
    std::int64_t position = 0;
    for (const auto& id : *preferences.order) places[id].order = ++position;
    return places;
}

} // namespace portico::launchpad
