#include "notifications/Notifications.h"

#include "common/News.h"

#include "portico/Json.h"

#include <chrono>

namespace portico::launchpad
{

namespace
{
constexpr auto notificationLife = std::chrono::days(90);
constexpr auto removalInterval = std::chrono::hours(6);

struct NotificationNews
{
    std::string notificationId;
    std::string userId;
};

constexpr auto schemaOf(const NotificationNews*)
{
    return describe(members<&NotificationNews::notificationId, &NotificationNews::userId>());
}
} // namespace

void Notifications::start()
{
    _context.jobs().handle("remove-notifications", [this](const Job&) { removeOld(); });
    _context.jobs().every("remove-notifications", removalInterval);
}

std::pair<Notification, bool> Notifications::notify(Transaction& transaction, Tenant tenant, Notification notification) const
{
    notification = notificationTable.stamped(std::move(notification), {_context.clock().now(), {}});
    if (notification.dedupeKey.empty()) notification.dedupeKey = notification.id.text();
    if (!notificationTable.insertIfAbsent(transaction, tenant, notification))
    {
        auto existing = notificationTable.select(tenant)
                            .where(&Notification::userId, notification.userId)
                            .where(&Notification::dedupeKey, notification.dedupeKey)
                            .first(transaction);
        if (existing) return {*std::move(existing), false};
    }
    publishNews(_context, transaction, tenant, "launchpad.notification.created",
                toJson(NotificationNews{notification.id.text(), notification.userId}));
    return {std::move(notification), true};
}

void Notifications::removeOld() const
{
    const auto before = _context.clock().now() - notificationLife;
    _context.database().transact([&](Transaction& transaction)
                                 { transaction.execute("DELETE FROM notification WHERE created_at < $1", before); });
}

} // namespace portico::launchpad
