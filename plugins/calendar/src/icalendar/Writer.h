#pragma once

#include "portico/TimeZone.h"

#include "portico/Instant.h"

#include <cstdint>
#include <string>
#include <vector>

namespace portico::calendar::icalendar
{

/// What is asked of who reads it (RFC 5546). A calendar's own copy of an event asks nothing.
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
    /// Of the host.
    TimeZone zone;
    Organizer organizer;
    std::vector<Attendee> attendees;
    std::string summary;
    /// These three may be empty.
    std::string description;
    std::string location;
    std::string url;
    Instant created{};
    Instant lastModified{};
    /// When this text was made.
    Instant stamp{};
};

/// An iCalendar object (RFC 5545) with the event and a VTIMEZONE that holds for the years in which it lies. Lines end with CRLF and are
/// folded at 75 octets, between characters; nothing in a text becomes a line or a parameter of its own.
std::string write(const Invitation& invitation);

} // namespace portico::calendar::icalendar
