#include "icalendar/RecurrenceRule.h"

#include <algorithm>

namespace portico::calendar::icalendar
{

namespace
{
using namespace std::chrono;
using Frequency = RecurrenceRule::Frequency;

bool holds(const std::vector<int>& numbers, int number) { return std::ranges::binary_search(numbers, number); }
/// Returns true if the list contains the position, counted from the beginning, or with negative numbers from the end.
bool holdsPlace(const std::vector<int>& numbers, int place, int total)
{
    return holds(numbers, place) || holds(numbers, place - total - 1);
}

int isoWeekday(local_days day) { return static_cast<int>(weekday(day).iso_encoding()); }
int daysOfYear(year which) { return which.is_leap() ? 366 : 365; }
int daysOfMonth(const year_month_day& date) { return static_cast<int>(unsigned((date.year() / date.month() / last).day())); }
int dayOfYear(local_days day, year which) { return static_cast<int>((day - local_days(which / January / 1)).count()) + 1; }
local_days beginOfWeek(local_days day, int weekStart) { return day - days((isoWeekday(day) - weekStart + 7) % 7); }
/// The first week of a year is the first one with four days in it.
local_days firstWeek(year which, int weekStart) { return beginOfWeek(local_days(which / January / 4), weekStart); }

bool inWeek(const std::vector<int>& numbers, local_days day, int weekStart)
{
    const auto week = beginOfWeek(day, weekStart);
    const auto owner = year_month_day(week + days(3)).year(); // most of a week's days are in its year
    const auto first = firstWeek(owner, weekStart), next = firstWeek(owner + years(1), weekStart);
    return holdsPlace(numbers, static_cast<int>((week - first).count()) / 7 + 1, static_cast<int>((next - first).count()) / 7);
}

/// Completes a rule with the parts that its start implies, so that each part can be tested separately.
class CompleteRule
{
public:
    CompleteRule(const RecurrenceRule& rule, const RecurrenceSpan& span) : _rule(rule)
    {
        completeDay(floor<days>(span.start));
        completeTime(span);
    }

    const RecurrenceRule& rule() const noexcept { return _rule; }
    Frequency frequency() const noexcept { return _rule.frequency; }

    bool hasDay(local_days day) const
    {
        const year_month_day date(day);
        if (!hasMonth(date.month())) return false;
        if (!_rule.byMonthDay.empty() && !holdsPlace(_rule.byMonthDay, static_cast<int>(unsigned(date.day())), daysOfMonth(date)))
            return false;
        if (!_rule.byYearDay.empty() && !holdsPlace(_rule.byYearDay, dayOfYear(day, date.year()), daysOfYear(date.year()))) return false;
        if (!_rule.byWeekNumber.empty() && !inWeek(_rule.byWeekNumber, day, _rule.weekStart)) return false;
        return _rule.byDay.empty() || std::ranges::any_of(_rule.byDay, [&](const auto& entry) { return isWeekday(entry, day, date); });
    }
    bool hasMonth(month which) const { return _rule.byMonth.empty() || holds(_rule.byMonth, static_cast<int>(unsigned(which))); }
    bool hasHour(int hour) const { return _rule.byHour.empty() || holds(_rule.byHour, hour); }
    bool hasMinute(int minute) const { return _rule.byMinute.empty() || holds(_rule.byMinute, minute); }
    bool hasSecond(int second) const { return _rule.bySecond.empty() || holds(_rule.bySecond, second); }

private:
    void completeDay(local_days start)
    {
        const year_month_day date(start);
        const bool namesDays = !_rule.byMonthDay.empty() || !_rule.byYearDay.empty() || !_rule.byDay.empty();
        if (namesDays) return;
        if (_rule.frequency == Frequency::Weekly || (_rule.frequency == Frequency::Yearly && !_rule.byWeekNumber.empty()))
            _rule.byDay.push_back({0, isoWeekday(start)});
        else if (_rule.frequency == Frequency::Monthly || _rule.frequency == Frequency::Yearly)
            _rule.byMonthDay.push_back(static_cast<int>(unsigned(date.day())));
        if (_rule.frequency == Frequency::Yearly && _rule.byMonth.empty() && _rule.byWeekNumber.empty())
            _rule.byMonth.push_back(static_cast<int>(unsigned(date.month())));
    }

    void completeTime(const RecurrenceSpan& span)
    {
        const hh_mm_ss time(span.start - floor<days>(span.start));
        if (span.isDate) _rule.byHour = _rule.byMinute = _rule.bySecond = {};
        if (_rule.frequency >= Frequency::Daily && _rule.byHour.empty()) _rule.byHour.push_back(static_cast<int>(time.hours().count()));
        if (_rule.frequency >= Frequency::Hourly && _rule.byMinute.empty())
            _rule.byMinute.push_back(static_cast<int>(time.minutes().count()));
        if (_rule.frequency >= Frequency::Minutely && _rule.bySecond.empty())
            _rule.bySecond.push_back(static_cast<int>(time.seconds().count()));
        for (int& second : _rule.bySecond) second = std::min(second, 59);
        _rule.bySecond.erase(std::unique(_rule.bySecond.begin(), _rule.bySecond.end()), _rule.bySecond.end());
    }

    bool isWeekday(const RecurrenceRule::Weekday& entry, local_days day, const year_month_day& date) const
    {
        if (entry.weekday != isoWeekday(day)) return false;
        const bool counted = _rule.frequency >= Frequency::Monthly && _rule.byWeekNumber.empty();
        if (entry.ordinal == 0 || !counted) return true;
        const bool inMonth = _rule.frequency == Frequency::Monthly || !_rule.byMonth.empty();
        const int place = inMonth ? static_cast<int>(unsigned(date.day())) : dayOfYear(day, date.year());
        const int total = inMonth ? daysOfMonth(date) : daysOfYear(date.year());
        return entry.ordinal == (entry.ordinal > 0 ? (place - 1) / 7 + 1 : -((total - place) / 7 + 1));
    }

    RecurrenceRule _rule;
};

/// Follows a rule period by period: a year, a month, … or a second at a time.
class Expansion
{
public:
    Expansion(const RecurrenceRule& rule, const RecurrenceSpan& span, RecurrenceBudget& budget)
        : _complete(rule, span), _rule(_complete.rule()), _span(span), _budget(budget), _startDay(floor<days>(span.start))
    {
    }

    std::vector<WallSeconds> run()
    {
        if (_span.isDate && _rule.frequency < Frequency::Daily) return {};
        // A rule with COUNT must be expanded from its start.
        const auto first = _rule.count > 0 ? _span.start : std::max(_span.start, _span.from);
        if (_rule.frequency < Frequency::Daily)
            followTimes(first);
        else
            followDays(floor<days>(first));
        return std::move(_found);
    }

private:
    void followDays(local_days first)
    {
        for (auto period = periodsUntil(first); !_ended; period += _rule.interval)
        {
            spendStep();
            const auto begin = periodBegin(period), end = periodBegin(period + 1);
            if (begin >= _span.to || (_span.until && begin > *_span.until) || year_month_day(begin).year() >= year(9999)) return;
            for (auto day = begin; day < end && !_ended; day += days(1))
            {
                const year_month_day date(day);
                if (!_complete.hasMonth(date.month()))
                    day = local_days(date.year() / date.month() / last);
                else if (spendStep(); _complete.hasDay(day))
                    takeDay(day);
            }
            endPeriod();
        }
    }

    /// The number of the rule's last period that begins at or before the day, as a multiple of the interval.
    std::int64_t periodsUntil(local_days day) const
    {
        const year_month_day from(_startDay), until(day);
        const auto yearsBetween = static_cast<int>(until.year()) - static_cast<int>(from.year());
        std::int64_t periods = 0;
        if (_rule.frequency == Frequency::Yearly) periods = yearsBetween;
        if (_rule.frequency == Frequency::Monthly)
            periods =
                std::int64_t{12} * yearsBetween + static_cast<int>(unsigned(until.month())) - static_cast<int>(unsigned(from.month()));
        if (_rule.frequency == Frequency::Weekly)
            periods = (beginOfWeek(day, _rule.weekStart) - beginOfWeek(_startDay, _rule.weekStart)).count() / 7;
        if (_rule.frequency == Frequency::Daily) periods = (day - _startDay).count();
        return periods - periods % _rule.interval;
    }

    local_days periodBegin(std::int64_t period) const
    {
        const year_month_day date(_startDay);
        // Limits the interval to a value beyond any calendar.
        const auto count = static_cast<int>(std::min<std::int64_t>(period, 10'000'000));
        if (_rule.frequency == Frequency::Daily) return _startDay + days(count);
        if (_rule.frequency == Frequency::Weekly) return beginOfWeek(_startDay, _rule.weekStart) + days(std::int64_t{7} * count);
        const auto monthsOn = _rule.frequency == Frequency::Monthly ? count : 0, yearsOn = _rule.frequency == Frequency::Yearly ? count : 0;
        const int month0 = static_cast<int>(unsigned(date.month())) - 1 + monthsOn;
        const int yearNumber = std::min(static_cast<int>(date.year()) + yearsOn + month0 / 12, 10'000);
        if (_rule.frequency == Frequency::Yearly) return local_days(year(yearNumber) / January / 1);
        return local_days(year(yearNumber) / month(static_cast<unsigned>(month0 % 12 + 1)) / 1);
    }

    void takeDay(local_days day)
    {
        for (const int hour : _rule.byHour) takeHour(day + hours(hour));
    }
    void takeHour(WallSeconds hour)
    {
        for (const int minute : _rule.byMinute) takeMinute(hour + minutes(minute));
    }
    void takeMinute(WallSeconds minute)
    {
        for (const int second : _rule.bySecond) take(minute + seconds(second));
    }

    void followTimes(WallSeconds first)
    {
        const auto unit =
            _rule.frequency == Frequency::Hourly ? seconds(hours(1)) : seconds(_rule.frequency == Frequency::Minutely ? 60 : 1);
        const auto step = unit * _rule.interval;
        const auto base = _span.start - (_span.start - _startDay) % unit;
        // Never before the base; at or after `time` but for less than a step.
        const auto onGrid = [&](WallSeconds time) { return base + (time - base + step - seconds(1)) / step * step; };
        for (auto time = base + (first - base) / step * step; !_ended; time = onGrid(std::max(time + step, _skipTo)))
        {
            spendStep();
            if (time >= _span.to || (_span.until && time > *_span.until)) return;
            if (!meets(time)) continue;
            if (_rule.frequency == Frequency::Hourly) takeHour(time);
            if (_rule.frequency == Frequency::Minutely) takeMinute(time);
            if (_rule.frequency == Frequency::Secondly) take(time);
            endPeriod();
        }
    }

    /// Returns true if day, hour, minute and second match the rule. Otherwise sets `_skipTo` to the next candidate.
    bool meets(WallSeconds time)
    {
        const auto day = floor<days>(time);
        const hh_mm_ss clock(time - day);
        const bool bySecond = _rule.frequency == Frequency::Secondly, byMinute = bySecond || _rule.frequency == Frequency::Minutely;
        if (!_complete.hasDay(day))
            _skipTo = day + days(1);
        else if (!_complete.hasHour(static_cast<int>(clock.hours().count())))
            _skipTo = floor<hours>(time) + hours(1);
        else if (byMinute && !_complete.hasMinute(static_cast<int>(clock.minutes().count())))
            _skipTo = floor<minutes>(time) + minutes(1);
        else
            return !bySecond || _complete.hasSecond(static_cast<int>(clock.seconds().count()));
        return false;
    }

    /// One time of the period, in their order.
    void take(WallSeconds time)
    {
        if (_ended) return;
        spendStep();
        if (_rule.bySetPosition.empty())
            accept(time);
        else
            _period.push_back(time);
    }

    void endPeriod()
    {
        const int total = static_cast<int>(_period.size());
        for (int place = 1; place <= total && !_ended; ++place)
            if (holdsPlace(_rule.bySetPosition, place, total)) accept(_period[static_cast<std::size_t>(place - 1)]);
        _period.clear();
    }

    void accept(WallSeconds time)
    {
        if (time < _span.start) return;
        _ended = time >= _span.to || (_span.until && time > *_span.until);
        if (_ended) return;
        _ended = ++_counted == _rule.count;
        if (time < _span.from) return;
        if (--_budget.occurrences < 0) throw RecurrenceTooLong("It comes again too often.", std::move(_found));
        _found.push_back(time);
    }

    void spendStep()
    {
        if (--_budget.steps < 0) throw RecurrenceTooLong("Its rule takes too long to follow.", std::move(_found));
    }

    const CompleteRule _complete;
    const RecurrenceRule& _rule;
    const RecurrenceSpan& _span;
    RecurrenceBudget& _budget;
    const local_days _startDay;
    WallSeconds _skipTo = WallSeconds::min();
    std::vector<WallSeconds> _found, _period;
    std::int64_t _counted = 0;
    bool _ended = false;
};
} // namespace

std::vector<WallSeconds> occurrences(const RecurrenceRule& rule, const RecurrenceSpan& span, RecurrenceBudget& budget)
{
    return Expansion(rule, span, budget).run();
}

} // namespace portico::calendar::icalendar
