#pragma once

#include "Ids.h"
#include "hosttime/BookingTools.h"

#include "portico/Schema.h"

#include <optional>
#include <string>

namespace portico::calendar
{

/// Sum that guests solve if the host has enabled `humanVerification`. People can solve it, also with a screen reader; generic form bots
/// cannot. No data of the guest is examined.
struct HumanQuestion
{
    int first = 0;
    int second = 0;
    /// Sealed question, which the client sends back with the answer. Valid for an hour, for this host and for one booking.
    std::string token;
};

/// Answer of a guest.
struct HumanAnswer
{
    std::string token;
    std::string answer;
};

constexpr auto schemaOf(const HumanAnswer*)
{
    return describe(field<&HumanAnswer::token>().required().maxLength(400), field<&HumanAnswer::answer>().required().maxLength(40));
}

HumanQuestion askHuman(const BookingTools& tools, const HostId& host);

/// @throws Problem 400 for `humanCheck.answer`: `required` without an answer; `wrong_answer`, also for a question of another host or one
/// that has expired
void requireHuman(const BookingTools& tools, const HostId& host, const std::optional<HumanAnswer>& answer);

// The functions below are called in the host's queue. Of two requests with the same answer, the second one therefore sees the first.

/// Checks that no booking was made with the answer. @throws Problem 400 for `humanCheck.answer`: `wrong_answer`
void requireUnused(const BookingTools& tools, const HumanAnswer& answer);
/// Marks the answer as used by a booking.
void useAnswer(const BookingTools& tools, const HumanAnswer& answer);

} // namespace portico::calendar
