#pragma once

#include "portico/Schema.h"

#include <string>

namespace portico::calendar
{

/// Fault of an external calendar, with codes that clients translate.
struct CalendarFault
{
    /// Code of the fault, such as `answered`.
    std::string code;
    /// Step that failed, such as `read_calendar`. May be empty.
    std::string step;
    /// The server, the provider or the event at fault.
    std::string about;
    /// Detail for the code: a status, a zone, a message of the server.
    std::string detail;
    bool operator==(const CalendarFault&) const = default;
};

constexpr auto schemaOf(const CalendarFault*)
{
    return describe(field<&CalendarFault::code>().description("What happened: `answered`, `unknown_zone`"),
                    field<&CalendarFault::step>().description("At what: `find_account`, `read_calendar`; may be empty"),
                    field<&CalendarFault::about>().description("The server or provider, or the event that is odd"),
                    field<&CalendarFault::detail>().description("What belongs to the code: a status, a zone, words of the server"));
}

} // namespace portico::calendar
