#pragma once

#include "bookings/AvailabilityService.h"
#include "service/Urls.h"
#include "texts/Words.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::calendar
{

struct PickerDay
{
    /// Empty: a place before the first or behind the last of the month.
    std::string number;
    std::string date;
    std::string label;
    /// Link of the day; empty without free times.
    std::string url;
    int free = 0;
    bool selected = false;
    bool today = false;
};

constexpr auto schemaOf(const PickerDay*)
{
    return describe(members<&PickerDay::number, &PickerDay::date, &PickerDay::label, &PickerDay::url, &PickerDay::free,
                            &PickerDay::selected, &PickerDay::today>());
}

struct PickerWeek
{
    std::vector<PickerDay> days;
};

constexpr auto schemaOf(const PickerWeek*) { return describe(field<&PickerWeek::days>()); }

struct PickerWeekday
{
    std::string name;
    std::string brief;
};

constexpr auto schemaOf(const PickerWeekday*) { return describe(members<&PickerWeekday::name, &PickerWeekday::brief>()); }

struct PickerTime
{
    Instant start{};
    std::string time;
    /// UTC offset, set if the local time occurs twice on the day.
    std::string offset;
    std::optional<int> seatsLeft;
    bool chosen = false;
};

constexpr auto schemaOf(const PickerTime*)
{
    return describe(members<&PickerTime::start, &PickerTime::time, &PickerTime::offset, &PickerTime::seatsLeft, &PickerTime::chosen>());
}

/// Something to choose: a zone, a duration.
struct PickerChoice
{
    std::string value;
    std::string label;
    std::string url;
    bool selected = false;
};

constexpr auto schemaOf(const PickerChoice*)
{
    return describe(members<&PickerChoice::value, &PickerChoice::label, &PickerChoice::url, &PickerChoice::selected>());
}

struct PickerField
{
    std::string name;
    std::string value;
};

constexpr auto schemaOf(const PickerField*) { return describe(members<&PickerField::name, &PickerField::value>()); }

/// Grid of dates with the free ones, and the free times of one of them, in the guest's time zone. Shows a month; when a page is opened, the
/// weeks from the first bookable one on.
struct Picker
{
    std::string path;
    std::string monthLabel;
    /// The first date of the grid, and the one behind its last.
    std::string first;
    std::string end;
    std::string previousUrl;
    std::string nextUrl;
    std::vector<PickerWeekday> weekdays;
    std::vector<PickerWeek> weeks;
    /// Label of the day whose times are listed; empty if no day of the month is free.
    std::string dayLabel;
    std::string date;
    std::vector<PickerTime> times;
    /// Next free time, if this month has none.
    std::string nextFreeLabel;
    std::string nextFreeUrl;
    std::string today;
    std::string timeZone;
    std::string zoneLabel;
    std::vector<PickerChoice> zones;
    std::vector<PickerChoice> durations;
    /// Fields that the time zone form keeps.
    std::vector<PickerField> kept;
    /// All free starts of the grid, and of two days before and after it, for the script. Minutes since 1970, with `:n` for the seats that
    /// are left.
    std::string starts;
};

constexpr auto schemaOf(const Picker*)
{
    return describe(members<&Picker::path, &Picker::monthLabel, &Picker::first, &Picker::end, &Picker::previousUrl, &Picker::nextUrl,
                            &Picker::weekdays, &Picker::weeks, &Picker::dayLabel, &Picker::date, &Picker::times, &Picker::nextFreeLabel,
                            &Picker::nextFreeUrl, &Picker::today, &Picker::timeZone, &Picker::zoneLabel, &Picker::zones, &Picker::durations,
                            &Picker::kept, &Picker::starts>());
}

/// Month and choices of a picker.
struct PickerRequest
{
    /// Path of the page that its links lead to.
    std::string path;
    /// Fields that the links keep beside date and zone.
    Fields kept;
    TimeZone zone;
    std::optional<LocalDate> date;
    std::optional<Instant> chosen;
    /// The booking to move, if any.
    const Booking* moving = nullptr;
};

/// @throws Problem as AvailabilityService::list
Picker makePicker(const BookingTools& tools, const AvailabilityService& availability, const Offer& offer, const PickerRequest& request,
                  const Words& words);

/// `Tuesday, November 24, 2026, 9:00 AM – 9:30 AM, Berlin (UTC+1)`.
std::string spanText(const Words& words, const TimeZone& zone, Instant start, Instant end);
/// `9:00 AM`, with the offset where the clock shows it twice.
std::string startText(const Words& words, const TimeZone& zone, Instant start);

} // namespace portico::calendar
