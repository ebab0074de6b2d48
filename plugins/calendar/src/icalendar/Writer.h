#pragma once

#include "portico/TimeZone.h"

#include "portico/Instant.h"

#include <cstdint>
#include <string>
#include <vector>

namespace portico::calendar::icalendar
{

/// Method of the iCalendar object (RFC 5546). None is for a calendar's stored copy of an event.
enum class Method : std::uint8_t
{
    None,
    Publish,
    Request,
    Cancel
};

enum class EventStatus : std::uint8_t
{
    Tentative,
    Confirmed,
    Cancelled
};

/// PARTSTAT.
enum class Participation : std::uint8_t
{
    NeedsAction,
    Accepted,
    Declined,
    Tentative
};

struct Organizer
{
    std::string name;
    std::string email;
};

struct Attendee
{
    std::string name;
    std::string email;
    Participation participation = Participation::NeedsAction;
};

/// A booking as other calendars see it. A value; the texts are UTF-8 and may hold anything.
struct Invitation
{
    Method method = Method::Request;
    /// Stays for the life of the booking.
    std::string uid;
    /// Rises with every change.
    int sequence = 0;
    EventStatus status = EventStatus::Confirmed;
    Instant start{};
    Instant end{};
    /// Time zone of the host.
    TimeZone zone;
    Organizer organizer;
    std::vector<Attendee> attendees;
    std::string summary;
    /// The members below may be empty.
    std::string description;
    std::string location;
    std::string url;
    Instant created{};
    Instant lastModified{};
    /// When this text was made.
    Instant stamp{};
};

/// Writes an iCalendar object (RFC 5545) with the event, and a VTIMEZONE for the years of the event. Lines end with CRLF and are folded at
/// 75 octets, between characters. Texts are escaped, so that they cannot inject lines or parameters.
std::string write(const Invitation& invitation);

} // namespace portico::calendar::icalendar
