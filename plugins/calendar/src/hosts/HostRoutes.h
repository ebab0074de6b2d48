#pragma once

#include "hosts/ActingHost.h"
#include "pictures/Pictures.h"
#include "portico/TimeZones.h"
#include "records/Schedule.h"

#include "portico/Plugin.h"
#include "portico/Routes.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::calendar
{

/// Caller of the workspace, and their host if there is one.
struct AdminContext
{
    struct User
    {
        std::string userId;
        std::string displayName;
        std::string email;
    };
    User user;
    std::optional<Host> host;
    bool needsSetup = false;
    std::string organizationId;
    std::vector<std::string> effectivePermissions;
    /// Optional services that the operator has configured.
    struct Outside
    {
        bool chat = false;
        bool notifications = false;
    };
    Outside outside;
};

constexpr auto schemaOf(const AdminContext::User*)
{
    return describe(members<&AdminContext::User::userId, &AdminContext::User::displayName, &AdminContext::User::email>())
        .named("ContextUser");
}

constexpr auto schemaOf(const AdminContext::Outside*)
{
    return describe(field<&AdminContext::Outside::chat>().description("Whether a chat service creates meetings of the kind `chat_meeting`"),
                    field<&AdminContext::Outside::notifications>().description("Whether a notification service receives booking events"))
        .named("ContextOutside");
}

constexpr auto schemaOf(const AdminContext*)
{
    return describe(members<&AdminContext::user, &AdminContext::host, &AdminContext::needsSetup, &AdminContext::organizationId,
                            &AdminContext::effectivePermissions, &AdminContext::outside>());
}

/// Input for a new host.
struct NewHost
{
    std::string handle;
    std::string displayName;
    std::string timeZone;
    std::optional<std::vector<WeeklyRule>> weeklyRules;
};

constexpr auto schemaOf(const NewHost*)
{
    return describe(
        field<&NewHost::handle>().required().matches(isHandle, "invalid_handle", "3 to 40 of a-z, 0-9 and -, with no - at an end"),
        named(field<&NewHost::displayName>()).required().trimmed().maxLength(120), field<&NewHost::timeZone>().required().maxLength(64),
        field<&NewHost::weeklyRules>().maxItems(200).description("Default: Monday to Friday, 09:00 to 17:00"));
}

/// Availability of a handle, checked while the user types it.
struct HandleAnswer
{
    std::string handle;
    bool available = false;
    /// Similar free handles, if this one is taken.
    std::vector<std::string> suggestions;
};

constexpr auto schemaOf(const HandleAnswer*)
{
    return describe(members<&HandleAnswer::handle, &HandleAnswer::available, &HandleAnswer::suggestions>());
}

/// /api/admin/context, /api/admin/host and its handle. Thread-safe.
class HostRoutes
{
public:
    HostRoutes(PluginContext& context, const TimeZones& zones, const Pictures& pictures)
        : _context(context), _zones(zones), _pictures(pictures)
    {
    }
    void declare(Routes& routes);

    AdminContext context(const Caller& caller) const;
    HandleAnswer handle(const Caller& caller, const Path<std::string>& handle) const;
    Created<Host> create(const Caller& caller, const Body<NewHost>& body);
    Host show(const Caller& caller, const Query<HostChoice>& choice) const;
    Host update(const Caller& caller, const Query<HostChoice>& choice, const Body<Patch<Host>>& body, const IfMatch& ifMatch);

private:
    PluginContext& _context;
    const TimeZones& _zones;
    const Pictures& _pictures;
};

} // namespace portico::calendar
