#include "VectorInput.h"

namespace portico::calendar
{

namespace
{

/// Maximum range of a query; far more than the service allows.
constexpr std::chrono::days longestQuery{1000};

std::string below(const std::string& path, std::string_view member)
{
    return path.empty() ? std::string(member) : path + "." + std::string(member);
}

template <class T>
void checkOrder(const T& start, const T& end, Faults& faults, const std::string& path)
{
    if (end < start) faults.add(path, "wrong_order", "Must not be before the start.");
}

struct BusySpan
{
    Instant start{};
    Instant end{};
};

void checkSpan(const BusySpan& span, Faults& faults, const std::string& path)
{
    checkOrder(span.start, span.end, faults, below(path, "end"));
}

constexpr auto schemaOf(const BusySpan*)
{
    return describe(field<&BusySpan::start>().required(), field<&BusySpan::end>().required()).checkedBy(checkSpan);
}

struct BusyDates
{
    LocalDate startDate;
    LocalDate endDate;
};

void checkDates(const BusyDates& dates, Faults& faults, const std::string& path)
{
    checkOrder(dates.startDate, dates.endDate, faults, below(path, "endDate"));
}

constexpr auto schemaOf(const BusyDates*)
{
    return describe(field<&BusyDates::startDate>().required(), field<&BusyDates::endDate>().required()).checkedBy(checkDates);
}

/// A booking, or with `expiresAt` a hold.
struct Event : BusySpan
{
    int bufferBeforeMinutes = 0;
    int bufferAfterMinutes = 0;
    int seats = 1;
    bool otherEventType = false;
};

void checkEvent(const Event& event, Faults& faults, const std::string& path) { checkSpan(event, faults, path); }

constexpr auto schemaOf(const Event*)
{
    return describe(field<&Event::start>().required(), field<&Event::end>().required(), field<&Event::bufferBeforeMinutes>().range(0, 480),
                    field<&Event::bufferAfterMinutes>().range(0, 480), field<&Event::seats>().range(1, 500),
                    field<&Event::otherEventType>())
        .checkedBy(checkEvent);
}

struct HoldEvent : Event
{
    Instant expiresAt{};
};

void checkHold(const HoldEvent& hold, Faults& faults, const std::string& path) { checkSpan(hold, faults, path); }

constexpr auto schemaOf(const HoldEvent*)
{
    return describe(inherited<Event>(), field<&HoldEvent::expiresAt>().required()).checkedBy(checkHold);
}

/// Instants, or dates of a guest.
struct Query
{
    std::optional<Instant> from, to;
    std::optional<std::string> guestTimeZone;
    std::optional<LocalDate> fromDate, toDate;
};

void checkQuery(const Query& query, Faults& faults, const std::string& path)
{
    const bool instants = query.from && query.to && !query.guestTimeZone && !query.fromDate && !query.toDate;
    const bool dates = query.guestTimeZone && query.fromDate && query.toDate && !query.from && !query.to;
    if (instants)
        checkOrder(*query.from, *query.to, faults, below(path, "to"));
    else if (dates)
        checkOrder(*query.fromDate, *query.toDate, faults, below(path, "toDate"));
    else
        faults.add(path, "required", "Expected from and to, or guestTimeZone, fromDate and toDate.");
}

constexpr auto schemaOf(const Query*)
{
    return describe(members<&Query::from, &Query::to, &Query::guestTimeZone, &Query::fromDate, &Query::toDate>()).checkedBy(checkQuery);
}

struct Input
{
    Instant now{};
    std::string hostTimeZone;
    std::vector<WeeklyRule> weeklyRules;
    std::vector<DateOverride> dateOverrides;
    std::vector<BusySpan> busy;
    std::vector<BusyDates> busyAllDay;
    std::vector<Event> bookings;
    std::vector<HoldEvent> holds;
    int durationMinutes = 0;
    std::optional<int> slotIntervalMinutes;
    int bufferBeforeMinutes = 0;
    int bufferAfterMinutes = 0;
    int minimumNoticeMinutes = 0;
    std::optional<BookingWindow> bookingWindow;
    std::optional<int> dailyLimit, weeklyLimit;
    int seatsPerSlot = 1;
    Query query;
};

/// Ranges are those of the event type.
constexpr auto schemaOf(const Input*)
{
    return describe(
        field<&Input::now>().required(), field<&Input::hostTimeZone>().required(), field<&Input::weeklyRules>().maxItems(200),
        field<&Input::dateOverrides>().maxItems(1000), members<&Input::busy, &Input::busyAllDay, &Input::bookings, &Input::holds>(),
        field<&Input::durationMinutes>().required().range(5, 1440), field<&Input::slotIntervalMinutes>().range(5, 1440),
        field<&Input::bufferBeforeMinutes>().range(0, 480), field<&Input::bufferAfterMinutes>().range(0, 480),
        field<&Input::minimumNoticeMinutes>().range(0, 43200), field<&Input::bookingWindow>(), field<&Input::dailyLimit>().range(1, 100),
        field<&Input::weeklyLimit>().range(1, 100), field<&Input::seatsPerSlot>().range(1, 500), field<&Input::query>().required());
}

SlotRules rulesOf(const Input& input, const TimeZones& zones)
{
    using std::chrono::minutes;
    SlotRules rules;
    rules.zone = rules.hostZone = zones.require(input.hostTimeZone, "hostTimeZone");
    rules.weeklyRules = input.weeklyRules;
    rules.dateOverrides = input.dateOverrides;
    rules.duration = minutes(input.durationMinutes);
    rules.slotInterval = minutes(input.slotIntervalMinutes.value_or(input.durationMinutes));
    rules.bufferBefore = minutes(input.bufferBeforeMinutes);
    rules.bufferAfter = minutes(input.bufferAfterMinutes);
    rules.minimumNotice = minutes(input.minimumNoticeMinutes);
    rules.window = input.bookingWindow.value_or(BookingWindow());
    rules.dailyLimit = input.dailyLimit;
    rules.weeklyLimit = input.weeklyLimit;
    rules.seatsPerSlot = input.seatsPerSlot;
    return rules;
}

TakenSlot slotOf(const Event& event)
{
    return {!event.otherEventType, Span{event.start, event.end}, std::chrono::minutes(event.bufferBeforeMinutes),
            std::chrono::minutes(event.bufferAfterMinutes), event.seats};
}

Taken takenOf(const Input& input)
{
    Taken taken;
    for (const auto& span : input.busy) taken.busy.push_back({span.start, span.end});
    for (const auto& dates : input.busyAllDay) taken.busyDates.push_back({dates.startDate, dates.endDate});
    for (const auto& booking : input.bookings) taken.bookings.push_back({slotOf(booking), {}});
    for (const auto& hold : input.holds) taken.holds.push_back({slotOf(hold), {}, hold.expiresAt});
    return taken;
}

} // namespace

VectorQuestion readVectorInput(std::string_view json, const TimeZones& zones)
{
    const auto input = fromJson<Input>(json);
    const auto& query = input.query;
    VectorQuestion question{rulesOf(input, zones), takenOf(input), {input.now, 1, {}, {}}, {}, {}, {}};
    if (query.guestTimeZone) question.guestZone = zones.require(*query.guestTimeZone, "query.guestTimeZone");
    question.from = query.from ? *query.from : question.guestZone.startOf(*query.fromDate);
    question.to = query.to ? *query.to : question.guestZone.startOf(query.toDate->plusDays(1));
    if (question.to - question.from > longestQuery) throw Problem::invalid("query", "out_of_range", "At most 1000 days.");
    return question;
}

} // namespace portico::calendar
