#include "notifications/NotificationRoutes.h"

#include "common/RateLimits.h"
#include "common/Roles.h"

#include "portico/interfaces/Directory.h"

namespace portico::launchpad
{

namespace
{
constexpr std::int64_t notificationsPerMinute = 120;
constexpr std::size_t membersAtOnce = 1000;
} // namespace

bool isNotificationHref(std::string_view text)
{
    return text.empty() || (text.starts_with('/') && !text.starts_with("//") && text.find('\\') == std::string_view::npos);
}

bool isRoleOrEmpty(std::string_view text) { return text.empty() || isRole(text); }

NotificationRoutes::NotificationRoutes(PluginContext& context, const Notifications& notifications)
    : _context(context), _notifications(notifications), _perCaller(perMinute(context, "notifications", notificationsPerMinute))
{
}

void NotificationRoutes::declare(Routes& routes)
{
    const auto mark = access::bearerOrKey("notifications:manage", "notifications.write");
    Access create;
    create.apiKey = true;
    create.permission = "notifications:manage";
    create.scope = "notifications.write";
    routes
        .get("/api/notifications", access::bearerOrKey("notifications:read", "notifications.read"), &NotificationRoutes::list, this,
             {.summary = "List the caller's notifications, newest first"})
        .post("/api/notifications/{id}/read", mark, &NotificationRoutes::read, this,
              {.summary = "Mark a notification as read", .idempotencyKey = false})
        .post("/api/notifications/read-all", mark, &NotificationRoutes::readAll, this,
              {.summary = "Mark all notifications as read", .idempotencyKey = false})
        .post("/api/notifications", create.orService(), &NotificationRoutes::create, this,
              {.summary = "Notify a member or all members with at least a role"});
}

Page<Notification, UnreadCount> NotificationRoutes::list(const Caller& caller, const Query<NotificationFilter>& filter,
                                                         const Paging& paging) const
{
    const auto tenant = caller.tenantOrSelf();
    auto session = _context.database().snapshot();
    auto select = notificationTable.select(tenant);
    select.where(&Notification::userId, caller.principalId);
    if (filter->unread.has_value())
    {
        if (*filter->unread)
            select.where("read_at IS NULL");
        else
            select.where("read_at IS NOT NULL");
    }
    Page<Notification, UnreadCount> page;
    static_cast<Page<Notification>&>(page) = select.orderBy(descending(&Notification::id)).page(session, paging);
    page.extra.unread =
        notificationTable.select(tenant).where(&Notification::userId, caller.principalId).where("read_at IS NULL").count(session);
    return page;
}

NoContent NotificationRoutes::read(const Caller& caller, const Path<NotificationId>& id) const
{
    const auto tenant = caller.tenantOrSelf();
    const Stamp stamp{_context.clock().now(), {}};
    _context.database().transact(
        [&](Transaction& transaction)
        {
            notificationTable.change(transaction, tenant, *id, IfMatch(std::string_view()), stamp,
                                     [&](Notification& notification)
                                     {
                                         if (notification.userId != caller.principalId) throw Problem::notFound();
                                         if (!notification.readAt) notification.readAt = stamp.now;
                                     });
        });
    return {};
}

NoContent NotificationRoutes::readAll(const Caller& caller) const
{
    const auto tenant = caller.tenantOrSelf();
    const auto now = _context.clock().now();
    _context.database().transact(
        [&](Transaction& transaction)
        {
            transaction.execute(
                "UPDATE notification SET read_at = $3, updated_at = $3, version = version + 1 WHERE organization_id = $1 AND "
                "user_id = $2 AND read_at IS NULL",
                tenant, caller.principalId, now);
        });
    return {};
}

std::vector<std::string> NotificationRoutes::recipients(Tenant tenant, const NewNotification& wanted) const
{
    const auto directory = _context.services().find<interfaces::Directory>();
    if (!directory) throw Problem::unavailable("directory_unavailable", "Members cannot be read at the moment. Try again later.");
    if (wanted.userId.empty() == wanted.role.empty()) throw Problem::invalid("userId", "required", "Expected either userId or role");
    if (!wanted.userId.empty())
    {
        const auto member = directory->member(tenant, wanted.userId);
        if (!member || !member->active) throw Problem::invalid("userId", "unknown_member", "Not a member of the organization");
        return {wanted.userId};
    }
    std::vector<std::string> ids;
    std::string after;
    for (;;)
    {
        const auto members = directory->members(tenant, after, membersAtOnce);
        for (const auto& member : members)
            if (rankOf(member.role) >= rankOf(wanted.role)) ids.push_back(member.userId);
        if (members.size() < membersAtOnce) return ids;
        after = members.back().userId;
    }
}

Created<CreatedNotifications> NotificationRoutes::create(const Caller& caller, const Body<NewNotification>& body) const
{
    _perCaller.require(caller.principalId);
    if (!body->organizationId.empty() && body->organizationId != caller.organizationId)
        throw Problem::notFound("There is no such organization.");
    const auto tenant = caller.tenant();
    const auto users = recipients(tenant, *body);
    Notification notification;
    notification.title = body->title;
    notification.body = body->body;
    notification.href = body->href;
    notification.severity = body->severity;
    notification.source = caller.ownServiceId.empty() ? std::string(ownServiceId) : caller.ownServiceId;
    notification.dedupeKey = body->dedupeKey;
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            CreatedNotifications answer;
            for (const auto& user : users)
            {
                auto each = notification;
                each.userId = user;
                const auto [written, isNew] = _notifications.notify(transaction, tenant, std::move(each));
                answer.created += isNew ? 1 : 0;
                answer.notificationIds.push_back(written.id.text());
            }
            return Created<CreatedNotifications>{std::move(answer)};
        });
}

} // namespace portico::launchpad
