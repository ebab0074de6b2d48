#include "bookings/HumanCheck.h"

#include "portico/Problem.h"
#include "portico/Text.h"

#include <chrono>

namespace portico::calendar
{

namespace
{
constexpr std::string_view purpose = "human";
/// As long as somebody leaves a form open.
constexpr std::chrono::hours goodFor{1};

/// 2 to 9: no sum is told by one of its parts.
int digit() { return randomText(1, "23456789").front() - '0'; }
} // namespace

HumanQuestion askHuman(const Sealer& sealer, Instant now)
{
    HumanQuestion question{digit(), digit(), {}};
    question.token = sealer.seal(std::to_string(toMillis(now)) + " " + std::to_string(question.first + question.second), purpose);
    return question;
}

void requireHuman(const Sealer& sealer, Instant now, const std::optional<HumanAnswer>& answer)
{
    if (!answer) throw Problem::invalid("humanCheck.answer", "required", "The host asks guests for a sum: humanCheck of the event type");
    const auto asked = sealer.tryOpen(answer->token, purpose).value_or("0 ");
    const auto blank = asked.find(' ');
    const bool fresh = now - fromMillis(std::stoll(asked.substr(0, blank))) < goodFor;
    if (!fresh || trim(answer->answer) != asked.substr(blank + 1))
        throw Problem::invalid("humanCheck.answer", "wrong_answer", "This is not the sum");
}

} // namespace portico::calendar
