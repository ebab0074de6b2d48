#pragma once

#include "external/CalendarSource.h"
#include "service/Urls.h"

#include "portico/Text.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace portico::calendar
{

/// Skips calendars of an account that no longer exist, and leaves a note for its owner. If no calendar is left, the reading fails.
class GoneCalendars
{
public:
    explicit GoneCalendars(const std::vector<std::string>& all) : _left(all.begin(), all.end()) {}

    /// Reads a calendar. @param notes receives the note if it is gone @throws CalendarFailure for other failures, and if none is left
    template <class Notes, class Read>
    void read(const std::string& calendar, Notes& notes, const Read& readIt)
    {
        try
        {
            readIt();
        }
        catch (const CalendarFailure& failure)
        {
            if (!failure.isGone()) throw;
            _left.erase(calendar);
            if (_left.empty()) throw;
            notes.note(isWebUrl(calendar) ? calendar.substr(originOf(calendar).size()) : calendar, "missing_calendar",
                       failure.fault().detail, "the server no longer has this calendar.");
        }
    }

private:
    std::set<std::string, std::less<>> _left;
};

} // namespace portico::calendar
