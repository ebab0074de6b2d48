#pragma once

#include "portico/Schema.h"

#include <string>

namespace portico::calendar
{

/// What is wrong with a calendar elsewhere, for programs that say it in words of their own.
struct CalendarFault
{
    /// `answered` and the like: what happened.
    std::string code;
    /// `read_calendar` and the like: at what. May be empty.
    std::string step;
    /// The server or the provider, or the event that is odd.
    std::string about;
    /// What belongs to the code: a status, a zone, what the other side says.
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
