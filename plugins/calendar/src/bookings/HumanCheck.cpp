#include "bookings/HumanCheck.h"

#include "portico/Problem.h"
#include "portico/Text.h"

#include <chrono>

namespace portico::calendar
{

namespace
{
/// Lifetime of a question: as long as a guest may leave the form open.
constexpr std::chrono::hours goodFor{1};

/// Returns 2 to 9, so that neither summand reveals the sum.
int digit() { return randomText(1, "23456789").front() - '0'; }

std::string purposeAt(const HostId& host) { return "human:" + host.text(); }
std::string usedKey(const HumanAnswer& answer) { return "human-used:" + sha256(answer.token).hex(); }

Problem wrongAnswer(std::string_view message) { return Problem::invalid("humanCheck.answer", "wrong_answer", message); }
} // namespace

HumanQuestion askHuman(const BookingTools& tools, const HostId& host)
{
    HumanQuestion question{digit(), digit(), {}};
    const auto sum = std::to_string(question.first + question.second);
    question.token = tools.sealer.seal(std::to_string(toMillis(tools.now())) + " " + sum, purposeAt(host));
    return question;
}

void requireHuman(const BookingTools& tools, const HostId& host, const std::optional<HumanAnswer>& answer)
{
    if (!answer) throw Problem::invalid("humanCheck.answer", "required", "The host asks guests for a sum: humanCheck of the event type");
    const auto asked = tools.sealer.tryOpen(answer->token, purposeAt(host)).value_or("0 ");
    const auto blank = asked.find(' ');
    const bool fresh = tools.now() - fromMillis(std::stoll(asked.substr(0, blank))) < goodFor;
    if (!fresh || trim(answer->answer) != asked.substr(blank + 1)) throw wrongAnswer("This is not the sum");
}

void requireUnused(const BookingTools& tools, const HumanAnswer& answer)
{
    if (tools.context.state().get(usedKey(answer))) throw wrongAnswer("This question was answered before: ask for another one");
}

void useAnswer(const BookingTools& tools, const HumanAnswer& answer) { tools.context.state().put(usedKey(answer), "1", goodFor); }

} // namespace portico::calendar
