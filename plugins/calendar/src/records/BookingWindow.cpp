#include "records/BookingWindow.h"

namespace portico::calendar
{

namespace
{
/// Checks a member that belongs to one kind.
void checkMember(bool there, bool wanted, const std::string& path, Faults& faults)
{
    if (there == wanted) return;
    faults.add(path, wanted ? "required" : "not_allowed", wanted ? "Must be present with this kind." : "Does not go with this kind.");
}
} // namespace

void checkWindow(const BookingWindow& window, Faults& faults, const std::string& path)
{
    using enum BookingWindow::Kind;
    const auto place = path.empty() ? path : path + ".";
    checkMember(window.days.has_value(), window.kind == RollingDays, place + "days", faults);
    checkMember(window.from.has_value(), window.kind == DateRange, place + "from", faults);
    checkMember(window.to.has_value(), window.kind == DateRange, place + "to", faults);
    if (window.from && window.to && *window.to < *window.from) faults.add(place + "to", "wrong_order", "Must not be before `from`.");
}

} // namespace portico::calendar
