#pragma once

#include "notifications/Notifications.h"

#include "portico/RateLimit.h"
#include "portico/Routes.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace portico::launchpad
{

struct NotificationFilter
{
    std::optional<bool> unread;
};

constexpr auto schemaOf(const NotificationFilter*) { return describe(members<&NotificationFilter::unread>()); }

struct UnreadCount
{
    std::int64_t unread = 0;
};

constexpr auto schemaOf(const UnreadCount*) { return describe(members<&UnreadCount::unread>()); }

/// A notification as a service or a key creates it.
struct NewNotification
{
    std::string userId;
    std::string role;
    std::string title;
    std::string body;
    std::string href;
    NotificationSeverity severity = NotificationSeverity::Info;
    std::string dedupeKey;
    std::string organizationId;
};

/// Returns whether the text is empty or a path of an origin.
bool isNotificationHref(std::string_view text);
bool isRoleOrEmpty(std::string_view text);

constexpr auto schemaOf(const NewNotification*)
{
    return describe(
        field<&NewNotification::userId>().maxLength(60).description("Recipient; alternative to `role`"),
        field<&NewNotification::role>()
            .matches(isRoleOrEmpty, "unknown_role", "owner, super_admin, admin, member or guest")
            .description("Minimum role of the recipients; alternative to `userId`"),
        field<&NewNotification::title>().required().trimmed().maxLength(200), field<&NewNotification::body>().maxLength(1000),
        field<&NewNotification::href>().maxLength(1000).matches(isNotificationHref, "invalid_href", "a path that begins with one /"),
        field<&NewNotification::severity>(),
        field<&NewNotification::dedupeKey>().maxLength(200).description(
            "Key that prevents duplicates: each user has at most one notification with it"),
        field<&NewNotification::organizationId>().description("Default: the organization of the caller"));
}

struct CreatedNotifications
{
    std::int64_t created = 0;
    std::vector<std::string> notificationIds;
};

constexpr auto schemaOf(const CreatedNotifications*)
{
    return describe(members<&CreatedNotifications::created, &CreatedNotifications::notificationIds>());
}

/// /api/notifications. Thread-safe.
class NotificationRoutes
{
public:
    NotificationRoutes(PluginContext& context, const Notifications& notifications);
    void declare(Routes& routes);

    Page<Notification, UnreadCount> list(const Caller& caller, const Query<NotificationFilter>& filter, const Paging& paging) const;
    NoContent read(const Caller& caller, const Path<NotificationId>& id) const;
    NoContent readAll(const Caller& caller) const;
    Created<CreatedNotifications> create(const Caller& caller, const Body<NewNotification>& body) const;

private:
    std::vector<std::string> recipients(Tenant tenant, const NewNotification& wanted) const;

    PluginContext& _context;
    const Notifications& _notifications;
    const RateLimit _perCaller;
};

} // namespace portico::launchpad
