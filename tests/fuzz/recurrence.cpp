#include "fuzz/Require.h"

#include "icalendar/RecurrenceRule.h"
#include "icalendar/Values.h"

using namespace portico::calendar::icalendar;

/// `DTSTART|RRULE`: what is found is in order and in the range, and the same in one piece as in two.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto text = portico::fuzz::textOf(data, size);
    const auto bar = text.find('|');
    if (bar == std::string_view::npos) return 0;
    const auto start = parseTime(text.substr(0, bar));
    const auto rule = RecurrenceRule::parse(text.substr(bar + 1));
    if (!start || !rule) return 0;
    const auto day = [&](int count) { return start->wall + std::chrono::days(count); };
    const auto find = [&](int from, int to)
    {
        RecurrenceBudget budget{300'000, 20'000};
        return occurrences(*rule, {start->wall, start->isDate, day(from), day(to)}, budget);
    };
    try
    {
        const auto whole = find(0, 1000);
        for (std::size_t i = 0; i < whole.size(); ++i)
            portico::fuzz::require(whole[i] >= start->wall && whole[i] < day(1000) && (i == 0 || whole[i - 1] < whole[i]));
        auto joined = find(0, 501);
        for (const auto time : find(501, 1000)) joined.push_back(time);
        portico::fuzz::require(joined == whole);
    }
    catch (const RecurrenceTooLong&)
    {
    }
    return 0;
}
