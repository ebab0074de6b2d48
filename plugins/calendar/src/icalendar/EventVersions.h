#pragma once

#include "icalendar/EventReader.h"

#include <optional>
#include <vector>

namespace portico::calendar::icalendar
{

/// One component of an event, with the reader of its calendar. Both outlive it.
struct Part
{
    const Component* component = nullptr;
    EventReader* reader = nullptr;
    /// The calendar around it cancels its events.
    bool cancelled = false;

    std::optional<Event> read() const;
};

/// Keeps the parts of the latest version, by SEQUENCE and then DTSTAMP (RFC 5546, 2.1.5); others leave a note. Several of one version are
/// kept: they may be different events of a program that does not make UIDs unique.
void keepLatest(std::vector<Part>& parts);

/// Replaces an occurrence.
struct Override
{
    Event event;
    EventTime replaced;
    Part part;
    /// True if it also moves all later occurrences.
    bool andFuture = false;
};

/// Overrides of one event, in the order of the replaced times.
class Overrides
{
public:
    void add(const Override& entry) { _single.push_back(entry); }
    /// Sorts them and keeps the latest version of each; called once, before the questions below.
    void arrange();

    const std::vector<Override>& all() const noexcept { return _single; }
    bool replace(Instant at) const;
    /// The last one before an instant that moves later occurrences; null if there is none.
    const Override* lastBefore(Instant at) const;

private:
    std::vector<Override> _single, _future;
};

} // namespace portico::calendar::icalendar
