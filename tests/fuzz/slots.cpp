#include "VectorInput.h"
#include "fuzz/Require.h"
#include "slots/Starts.h"

#include <algorithm>

namespace
{

using namespace portico;
using namespace portico::calendar;
using portico::fuzz::require;

/// Starts that are cached by week and joined equal those computed together.
void checkParts(const VectorQuestion& question, const std::vector<Instant>& starts)
{
    const auto middle = question.from + (question.to - question.from) / 2;
    auto joined = startsOf(question.rules, question.from, middle);
    for (const auto start : startsOf(question.rules, middle, question.to)) joined.push_back(start);
    require(joined == starts);
}

/// List, hold and explanation say the same of a start.
void checkStart(const VectorQuestion& question, const std::vector<Slot>& open, Instant start)
{
    const bool listed = std::any_of(open.begin(), open.end(), [&](const Slot& slot) { return slot.start == start; });
    require(openSlotAt(question.rules, question.taken, question.asking, start).has_value() == listed);
    require(explain(question.rules, question.taken, question.asking, start).available == listed);
}

void check(VectorQuestion& question)
{
    // Bookings of the service are a day long at most; these may all cover everything.
    if (question.taken.bookings.size() + question.taken.holds.size() > 50)
        question.to = std::min(question.to, question.from + std::chrono::days(62));
    const auto starts = startsOf(question.rules, question.from, question.to);
    require(std::adjacent_find(starts.begin(), starts.end(), std::greater_equal<>()) == starts.end());
    require(starts.empty() || (starts.front() >= question.from && starts.back() < question.to));
    checkParts(question, starts);
    const auto open = openSlots(question.rules, starts, question.taken, question.asking);
    for (std::size_t i = 0; i < starts.size(); i += starts.size() / 3 + 1) checkStart(question, open, starts[i]);
    if (!open.empty()) checkStart(question, open, open.front().start);
    checkStart(question, open, question.to - std::chrono::milliseconds(1));
}

} // namespace

/// Rules, what is taken and a query, as a vector has them: refused with a Problem, or answered in bounded time and in one voice.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const TimeZones zones;
    try
    {
        auto question = readVectorInput(portico::fuzz::textOf(data, size), zones);
        if (question.from < question.to) check(question);
    }
    catch (const Problem& problem)
    {
        require(problem.status() == 400);
    }
    return 0;
}
