#include "icalendar/Writer.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

namespace portico::calendar::icalendar
{

namespace
{
constexpr std::array<std::string_view, 4> methodWords{"", "PUBLISH", "REQUEST", "CANCEL"};
constexpr std::array<std::string_view, 3> statusWords{"TENTATIVE", "CONFIRMED", "CANCELLED"};
constexpr std::array<std::string_view, 4> participationWords{"NEEDS-ACTION", "ACCEPTED", "DECLINED", "TENTATIVE"};

bool isControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

/// A TEXT value (RFC 5545, 3.3.11). Control characters other than tabs and line ends are left out.
std::string textValue(std::string_view text)
{
    std::string value;
    for (const char c : text)
    {
        if (c == '\n')
            value += "\\n";
        else if (c == '\\' || c == ';' || c == ',')
            (value += '\\') += c;
        else if (c == '\t' || !isControl(c))
            value += c;
    }
    return value;
}

/// A quoted parameter (RFC 5545, 3.2), which can hold no quote.
std::string parameterValue(std::string_view text)
{
    std::string value = "\"";
    for (const char c : text) value += c == '"' ? '\'' : isControl(c) ? ' ' : c;
    return value + "\"";
}

/// A value that is no TEXT: a UID, an address.
std::string plainValue(std::string_view text)
{
    std::string value(text);
    std::erase_if(value, isControl);
    return value;
}

std::string localText(const LocalTime& time)
{
    const auto date = time.date.text();
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.4s%.2s%.2sT%02d%02d%02d", date.data(), date.data() + 5, date.data() + 8,
                  time.secondOfDay / 3600, time.secondOfDay / 60 % 60, time.secondOfDay % 60);
    return text.data();
}

std::string utcText(Instant instant) { return localText(TimeZone().localOf(instant)) + "Z"; }

std::string offsetText(int seconds)
{
    const int size = std::abs(seconds);
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%c%02d%02d", seconds < 0 ? '-' : '+', size / 3600, size / 60 % 60);
    if (size % 60 != 0) std::snprintf(text.data() + 5, text.size() - 5, "%02d", size % 60);
    return text.data();
}

class LineWriter
{
public:
    void add(std::string_view line)
    {
        for (std::size_t room = 75; line.size() > room; room = 74)
        {
            auto cut = room;
            while (cut > 0 && (static_cast<unsigned char>(line[cut]) & 0xC0) == 0x80) --cut;
            if (cut == 0) cut = room; // no UTF-8
            (_text += line.substr(0, cut)) += "\r\n ";
            line.remove_prefix(cut);
        }
        (_text += line) += "\r\n";
    }
    void add(std::string_view name, std::string_view value) { add(std::string(name) + ":" + std::string(value)); }
    void addUnlessEmpty(std::string_view name, const std::string& value)
    {
        if (!value.empty()) add(name, value);
    }
    std::string take() { return std::move(_text); }

private:
    std::string _text;
};

/// STANDARD or DAYLIGHT from the wall time on that the zone showed when it began.
void addObservance(LineWriter& lines, const LocalTime& onset, int offsetBefore, const LocalTime& after)
{
    const std::string_view kind = after.daylight ? "DAYLIGHT" : "STANDARD";
    lines.add("BEGIN", kind);
    lines.add("DTSTART", localText(onset));
    lines.add("TZOFFSETFROM", offsetText(offsetBefore));
    lines.add("TZOFFSETTO", offsetText(after.offsetSeconds));
    lines.add("TZNAME", textValue(after.abbreviation));
    lines.add("END", kind);
}

/// From the beginning of the year of the start to the end of that of the end.
void addZone(LineWriter& lines, const Invitation& event)
{
    using namespace std::chrono;
    const auto& zone = event.zone;
    const auto beginOf = [&](year which) { return zone.startOf(LocalDate(sys_days(which / January / 1))); };
    const auto from = beginOf(zone.dateOf(event.start).parts().year()), to = beginOf(zone.dateOf(event.end).parts().year() + years(1));
    lines.add("BEGIN", "VTIMEZONE");
    lines.add("TZID", textValue(zone.name()));
    const auto first = zone.localOf(from);
    addObservance(lines, first, first.offsetSeconds, first);
    for (const auto& change : zone.changes(from + seconds(1), to))
    {
        // Computes the onset as the local time of the change in the offset before it.
        auto onset = zone.localOf(change.at - seconds(1));
        onset.secondOfDay += 1;
        if (onset.secondOfDay == 86'400)
        {
            onset.secondOfDay = 0;
            onset.date = onset.date.plusDays(1);
        }
        addObservance(lines, onset, change.before.offsetSeconds, change.after);
    }
    lines.add("END", "VTIMEZONE");
}

/// Writes a local time of the zone. The second pass of a repeated hour cannot be expressed as such and is written as UTC.
void addZoned(LineWriter& lines, std::string_view name, const TimeZone& zone, Instant instant)
{
    const auto shown = zone.localOf(instant);
    const auto minute = zone.at(shown.date, WallTime::ofMinutes(shown.secondOfDay / 60));
    if (minute + std::chrono::seconds(shown.secondOfDay % 60) != std::chrono::floor<std::chrono::seconds>(instant))
        lines.add(name, utcText(instant));
    else
        lines.add(std::string(name) + ";TZID=" + zone.name() + ":" + localText(shown));
}

void addPeople(LineWriter& lines, const Invitation& event)
{
    // A stored event with an organizer is one that its server may send invitations for (RFC 6638).
    if (event.method == Method::None && event.attendees.empty()) return;
    lines.add("ORGANIZER;CN=" + parameterValue(event.organizer.name) + ":mailto:" + plainValue(event.organizer.email));
    for (const auto& attendee : event.attendees)
        lines.add("ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=" +
                  std::string(participationWords.at(static_cast<std::size_t>(attendee.participation))) +
                  ";CN=" + parameterValue(attendee.name) + ":mailto:" + plainValue(attendee.email));
}
} // namespace

std::string write(const Invitation& event)
{
    LineWriter lines;
    const auto zoned = [&](std::string_view name, Instant instant) { addZoned(lines, name, event.zone, instant); };
    lines.add("BEGIN", "VCALENDAR");
    lines.add("VERSION", "2.0");
    lines.add("PRODID", "-//Portico//Calendar//EN");
    lines.add("CALSCALE", "GREGORIAN");
    lines.addUnlessEmpty("METHOD", std::string(methodWords.at(static_cast<std::size_t>(event.method))));
    addZone(lines, event);
    lines.add("BEGIN", "VEVENT");
    lines.add("UID", textValue(plainValue(event.uid)));
    lines.add("SEQUENCE", std::to_string(event.sequence));
    lines.add("DTSTAMP", utcText(event.stamp));
    zoned("DTSTART", event.start);
    zoned("DTEND", event.end);
    lines.add("STATUS", statusWords.at(static_cast<std::size_t>(event.status)));
    lines.add("SUMMARY", textValue(event.summary));
    lines.addUnlessEmpty("DESCRIPTION", textValue(event.description));
    lines.addUnlessEmpty("LOCATION", textValue(event.location));
    lines.addUnlessEmpty("URL", plainValue(event.url));
    addPeople(lines, event);
    lines.add("CREATED", utcText(event.created));
    lines.add("LAST-MODIFIED", utcText(event.lastModified));
    lines.add("TRANSP", event.status == EventStatus::Cancelled ? "TRANSPARENT" : "OPAQUE");
    lines.add("END", "VEVENT");
    lines.add("END", "VCALENDAR");
    return lines.take();
}

} // namespace portico::calendar::icalendar
