#pragma once

#include "common/Ids.h"

#include "portico/Table.h"

#include <optional>
#include <string>

namespace portico::launchpad
{

enum class NotificationSeverity
{
    Info,
    Success,
    Warning,
    Critical
};

constexpr auto schemaOf(const NotificationSeverity*)
{
    using enum NotificationSeverity;
    return portico::choices<NotificationSeverity>({{"info", Info}, {"success", Success}, {"warning", Warning}, {"critical", Critical}});
}

/// A message to one person in one context.
struct Notification : Versioned
{
    NotificationId id;
    std::string userId;
    std::string title;
    std::string body;
    std::string href;
    NotificationSeverity severity = NotificationSeverity::Info;
    /// ID of the service that wrote it.
    std::string source;
    std::string dedupeKey;
    std::optional<Instant> readAt;
};

constexpr auto schemaOf(const Notification*)
{
    return describe(members<&Notification::id, &Notification::userId, &Notification::title, &Notification::body, &Notification::href,
                            &Notification::severity>(),
                    field<&Notification::source>("service_id").column("source"), members<&Notification::dedupeKey, &Notification::readAt>(),
                    versioned<Notification>());
}

inline constexpr Table notificationTable{"notification", &Notification::id};

} // namespace portico::launchpad
