#include "accounts/PreferenceRoutes.h"

#include "common/Ids.h"

#include "portico/Json.h"
#include "portico/Table.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

constexpr std::size_t maxBytesOfService = 16 * 1024;
constexpr std::size_t maxBytesOfPreferences = 64 * 1024;

using JsonObject = std::map<std::string, Json>;

/// A row of `preferences`.
struct PreferenceRow : Preferences
{
    std::string userId;
    Instant updatedAt{};
};

constexpr auto schemaOf(const PreferenceRow*)
{
    return describe(inherited<Preferences>(), members<&PreferenceRow::userId, &PreferenceRow::updatedAt>());
}

constexpr GlobalTable preferenceTable{"preferences", &PreferenceRow::userId};

bool isObject(const Json& value) { return value.text.starts_with('{'); }

/// RFC 7396: objects merge by member, null removes, everything else replaces.
Json merged(const Json& target, const Json& patch)
{
    if (!isObject(patch)) return patch;
    auto result = isObject(target) ? fromJson<JsonObject>(target.text) : JsonObject();
    for (const auto& [name, value] : fromJson<JsonObject>(patch.text))
    {
        if (value.text == "null")
            result.erase(name);
        else
            result[name] = merged(result[name], value);
    }
    return {toJson(result)};
}

void requireForm(const Preferences& preferences)
{
    if (!isObject(preferences.shared)) throw Problem::invalid("shared", "invalid_type", "This is an object.");
    if (!isObject(preferences.services)) throw Problem::invalid("services", "invalid_type", "This is an object by service id.");
    if (preferences.shared.text.size() > maxBytesOfService) throw Problem::tooLarge("The member shared exceeds 16 KiB.");
    for (const auto& [serviceId, value] : fromJson<JsonObject>(preferences.services.text))
    {
        if (!isServiceId(serviceId) || !isObject(value))
            throw Problem::invalid("services", "invalid_type", "These are objects by service id.");
        if (value.text.size() > maxBytesOfService) throw Problem::tooLarge("The preferences of one service are more than 16 KiB.");
    }
    if (preferences.shared.text.size() + preferences.services.text.size() > maxBytesOfPreferences)
        throw Problem::tooLarge("All preferences together are more than 64 KiB.");
}

} // namespace

void PreferenceRoutes::declare(Routes& routes)
{
    routes
        .get("/api/auth/me/preferences", access::bearer(), &PreferenceRoutes::show, this,
             {.summary = "Read the caller's preferences", .onEveryOrigin = true})
        .patch("/api/auth/me/preferences", access::bearer(), &PreferenceRoutes::change, this,
               {.summary = "Update the caller's preferences", .onEveryOrigin = true, .problems = {"413 payload_too_large"}});
}

Preferences PreferenceRoutes::show(const Caller& caller) const
{
    return _core.read([&](Session& session) { return preferenceTable.find(session, caller.principalId); }).value_or(PreferenceRow());
}

Preferences PreferenceRoutes::change(const Caller& caller, const Body<Preferences>& patch, const IfMatch& match)
{
    return _core.database.transact(
        [&](Transaction& transaction)
        {
            PreferenceRow preferences;
            preferences.userId = caller.principalId;
            preferenceTable.insertIfAbsent(transaction, preferences);
            return preferenceTable.change(transaction, caller.principalId, match, {_core.clock.now()},
                                          [&](PreferenceRow& row)
                                          {
                                              if (patch.has("shared")) row.shared = merged(row.shared, patch->shared);
                                              if (patch.has("services")) row.services = merged(row.services, patch->services);
                                              requireForm(row);
                                          });
        });
}

} // namespace portico::identity
