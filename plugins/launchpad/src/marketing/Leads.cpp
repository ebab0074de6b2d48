#include "marketing/Leads.h"

#include "common/RateLimits.h"

#include "portico/Text.h"

namespace portico::launchpad
{

namespace
{
/// Section 2.5 of the interface.
constexpr std::int64_t formsPerHour = 5;
constexpr std::size_t longestLocale = 35;

std::string browserLocale(const Request& request)
{
    const auto asked = request.header("Accept-Language");
    return std::string(asked.substr(0, std::min({asked.find_first_of(",;"), asked.size(), longestLocale})));
}
} // namespace

Leads::Leads(PluginContext& context, const HumanChecks& humans, const DemoCalendar& calendar)
    : _context(context),
      _humans(humans),
      _calendar(calendar),
      _waitlistPerAddress(perHour(context, "waitlist", formsPerHour)),
      _demosPerAddress(perHour(context, "demos", formsPerHour))
{
}

void Leads::join(const Request& request, const WaitlistInput& input) const
{
    if (!input.consent) throw Problem::invalid("consent", "required", "Expected true: the waitlist needs consent to emails");
    _waitlistPerAddress.require(networkOf(request.clientAddress));
    _humans.require(request, "waitlist", input.humanVerification);
    WaitlistEntry entry;
    entry.email = input.email;
    entry.emailKey = foldCase(input.email);
    entry.name = input.name;
    entry.company = input.company;
    entry.interest = input.interest;
    entry.source = input.source;
    entry.locale = browserLocale(request);
    entry = waitlistTable.stamped(std::move(entry), {_context.clock().now(), {}});
    _context.database().transact([&](Transaction& transaction) { waitlistTable.insertIfAbsent(transaction, installation, entry); });
}

DemoBooking Leads::requestDemo(const Request& request, const DemoInput& input) const
{
    const bool sales = !input.package.empty();
    if (input.slot && (sales || !_calendar.configured()))
        throw Problem::invalid("slot", "not_available", "This server has no demo calendar, and calls of sales have no time: omit slot");
    _demosPerAddress.require(networkOf(request.clientAddress));
    _humans.require(request, "demo", input.humanVerification);
    DemoBooking demo;
    demo.name = input.name;
    demo.email = input.email;
    demo.company = input.company;
    demo.teamSize = input.teamSize;
    demo.message = input.message;
    demo.locale = browserLocale(request);
    if (sales) demo.package = Package::Enterprise;
    if (input.slot)
    {
        const auto reserved = _calendar.reserve(request, *input.slot, {input.name, input.email, input.company, input.message});
        demo.slotStart = input.slot->start;
        demo.slotTimezone = input.slot->timezone;
        demo.calendarBookingId = reserved.bookingId;
        demo.manageUrl = reserved.manageUrl;
        if (reserved.confirmed) demo.status = DemoStatus::Confirmed;
    }
    return _context.database().transact(
        [&](Transaction& transaction) {
            return demoTable.create(transaction, installation, demo, {_context.clock().now(), {}});
        });
}

} // namespace portico::launchpad
