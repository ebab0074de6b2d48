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
    return describe(
        field<&CalendarFault::code>().description("Code of the fault, for example `answered` or `unknown_zone`"),
        field<&CalendarFault::step>().description("Failed step, for example `find_account` or `read_calendar`; may be empty"),
        field<&CalendarFault::about>().description("Server, provider or event at fault"),
        field<&CalendarFault::detail>().description("Detail of the fault, for example a status, a time zone or a message of the server"));
}

} // namespace portico::calendar
