#pragma once

#include "Ids.h"
#include "hosttime/BookingTools.h"

#include "portico/Schema.h"

#include <optional>
#include <string>

namespace portico::calendar
{

/// A sum that hosts may ask guests for (`humanVerification`): people know it, by ear too, and programs that fill in whatever form they find
/// do not. Nobody else is asked, and nothing of the guest is looked at.
struct HumanQuestion
{
    int first = 0;
    int second = 0;
    /// Sealed: what comes back with the answer. Good for an hour, at this host's, for one booking.
    std::string token;
};

/// What a guest answers.
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

/// @throws Problem 400 of `humanCheck.answer`: `required` without one, `wrong_answer`, also to a question of another time or host
void requireHuman(const BookingTools& tools, const HostId& host, const std::optional<HumanAnswer>& answer);

// Called in the queue of the host, so that of two who answer one question the second sees the first.

/// That no booking was made with the answer. @throws Problem 400 of `humanCheck.answer`: `wrong_answer`
void requireUnused(const BookingTools& tools, const HumanAnswer& answer);
/// A booking is made with it.
void useAnswer(const BookingTools& tools, const HumanAnswer& answer);

} // namespace portico::calendar
