#pragma once

#include "Ids.h"

#include "records/CalendarFault.h"

#include "portico/Table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace portico::calendar
{

enum class CalendarKind
{
    CalDav,
    IcsFeed,
    Google,
    Microsoft
};

constexpr auto schemaOf(const CalendarKind*)
{
    using enum CalendarKind;
    return portico::choices<CalendarKind>({{"caldav", CalDav}, {"ics_feed", IcsFeed}, {"google", Google}, {"microsoft", Microsoft}});
}

enum class SyncDirection
{
    BusyOnly,
    BusyAndWrite
};

constexpr auto schemaOf(const SyncDirection*)
{
    using enum SyncDirection;
    return portico::choices<SyncDirection>({{"busy_only", BusyOnly}, {"busy_and_write", BusyAndWrite}});
}

enum class SyncState
{
    Ok,
    /// Not read yet, or not since it was changed.
    Stale,
    AuthFailed,
    Unreachable
};

constexpr auto schemaOf(const SyncState*)
{
    using enum SyncState;
    return portico::choices<SyncState>({{"ok", Ok}, {"stale", Stale}, {"auth_failed", AuthFailed}, {"unreachable", Unreachable}});
}

/// Which events keep the host busy, beside the certain ones with times.
struct BusyKinds
{
    bool tentative = true;
    bool allDay = true;
    bool operator==(const BusyKinds&) const = default;
};

constexpr auto schemaOf(const BusyKinds*) { return describe(members<&BusyKinds::tentative, &BusyKinds::allDay>()); }

/// External calendar of a host. Its events count as busy, and bookings can be written to it.
struct ExternalCalendar : Versioned
{
    CalendarId calendarId;
    HostId hostId;
    CalendarKind kind = CalendarKind::CalDav;
    std::string name;
    std::string url;
    std::string username;
    /// Sealed in rows; never in an answer. For a provider's calendar the tokens; empty until the user gives consent.
    std::string password;
    SyncDirection direction = SyncDirection::BusyOnly;
    /// URLs of the calendars of the account that are read; a provider's have ids, of which `primary` is the first.
    std::vector<std::string> selectedCollections;
    BusyKinds busyKinds;
    /// Calendar of the account that bookings are written to.
    std::optional<std::string> writeTarget;
    SyncState syncState = SyncState::Stale;
    std::optional<Instant> lastSyncAt;
    /// English sentences for `lastFaults`.
    std::optional<std::string> lastError;
    std::vector<CalendarFault> lastFaults;
    std::optional<Instant> nextSyncAt;
    std::int64_t eventCount = 0;
    /// Marker that `CalendarSource::busy` returned; empty: read everything.
    std::string syncMarker;
    std::optional<Instant> readAt;
    int failures = 0;

    /// Requests a full read soon. Known busy times stay valid until then.
    void readAnew(Instant now)
    {
        syncMarker.clear();
        readAt.reset();
        syncState = SyncState::Stale;
        failures = 0;
        nextSyncAt = now;
    }
};

constexpr auto schemaOf(const ExternalCalendar*)
{
    return describe(field<&ExternalCalendar::calendarId>().column("id").readOnly(), field<&ExternalCalendar::hostId>().readOnly(),
                    field<&ExternalCalendar::kind>(), field<&ExternalCalendar::name>().trimmed().maxLength(120),
                    field<&ExternalCalendar::url>().trimmed().maxLength(2000), field<&ExternalCalendar::username>().maxLength(320),
                    field<&ExternalCalendar::password>().writeOnly().maxLength(2000), field<&ExternalCalendar::direction>(),
                    field<&ExternalCalendar::selectedCollections>().maxItems(50).maxLength(2000), field<&ExternalCalendar::busyKinds>(),
                    field<&ExternalCalendar::writeTarget>().maxLength(2000), field<&ExternalCalendar::syncState>().readOnly(),
                    field<&ExternalCalendar::lastSyncAt>().readOnly(),
                    field<&ExternalCalendar::lastError>().readOnly().description("English text of `lastFaults`"),
                    field<&ExternalCalendar::lastFaults>().readOnly(), field<&ExternalCalendar::nextSyncAt>().readOnly(),
                    field<&ExternalCalendar::eventCount>().readOnly(), field<&ExternalCalendar::syncMarker>().columnOnly(),
                    field<&ExternalCalendar::readAt>().columnOnly(), field<&ExternalCalendar::failures>().columnOnly(),
                    versioned<ExternalCalendar>());
}

inline constexpr Table externalCalendarTable{"external_calendar", &ExternalCalendar::hostId, &ExternalCalendar::calendarId};

/// Returns the purpose for which the password is sealed.
inline std::string sealPurpose(const CalendarId& id) { return "external_calendar:" + id.text(); }

} // namespace portico::calendar
