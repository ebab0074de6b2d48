#pragma once

#include "portico/Crypto.h"
#include "portico/Instant.h"
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
    /// Sealed: what comes back with the answer. Good for an hour.
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
    return describe(field("token", &HumanAnswer::token).required().maxLength(400),
                    field("answer", &HumanAnswer::answer).required().maxLength(40));
}

HumanQuestion askHuman(const Sealer& sealer, Instant now);

/// @throws Problem 400 of `humanCheck.answer`: `required` without one, `wrong_answer`, also to a question of another time
void requireHuman(const Sealer& sealer, Instant now, const std::optional<HumanAnswer>& answer);

} // namespace portico::calendar
