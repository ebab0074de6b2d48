#include "CalendarPlugin.h"

#include "service/Sealing.h"

#include "portico/interfaces/Directory.h"

#include <chrono>

namespace portico::calendar
{

namespace
{
constexpr std::string_view passTimeJob = "calendar.bookings.pass_time";
}

CalendarPlugin::CalendarPlugin(PluginContext& context)
    : _context(context),
      _tools{context, _zones, LiveHolds(context.state()), openSealer(context)},
      _events(_tools),
      _meetings(_tools, {&_mails, &_externalEvents}),
      _externalSync(_tools),
      _externalEvents(_tools, words()),
      _pages(context.host(), context.logger()),
      _mails(_tools, words(),
             [this](const Booking& booking)
             {
                 const auto token = _bookings.manageToken(booking);
                 return token.empty() ? std::string() : manageUrl(booking.bookingId, token, _context.host().origin);
             }),
      _availability(_tools),
      _holds(_tools),
      _bookings(_tools, _externalSync, {&_events, &_meetings, &_mails, &_externalEvents}),
      _holdSweep(_tools),
      _embedOrigins(_tools),
      _bindableHosts(context),
      _departures(context),
      _pictures(context),
      _hostRoutes(context, _zones, _pictures),
      _pictureRoutes(context, _pictures),
      _scheduleRoutes(_tools),
      _eventTypeRoutes(context, _embedOrigins),
      _bookingRoutes(_tools, _availability, _bookings),
      _publicRoutes(_tools, _availability, _holds, _bookings, _meetings, _embedOrigins, words()),
      _problemPage(_pages),
      _embedRoutes(_tools, _embedOrigins),
      _embedPreview(_pages),
      _landingPage(_tools, _pages),
      _bookingPages(_tools, _availability, _holds, _bookings, _meetings, _embedOrigins, _pages, _problemPage),
      _guestPages(_tools, _availability, _holds, _bookings, _embedOrigins, _pages, _problemPage),
      _externalRoutes(_tools, _externalSync),
      _oauthRoutes(_tools, _externalSync),
      _widgetRoutes(_tools),
      _personRecords(_tools, _bookings, _externalEvents, _pictures),
      _changes(context.channels())
{
}

WordsOf CalendarPlugin::words() const
{
    return [this](std::string_view language) -> const Words& { return _pages.wordsFor(language); };
}

void CalendarPlugin::start()
{
    _events.start();
    _meetings.start();
    _holdSweep.closeLost();
    _externalSync.start();
    _externalEvents.start();
    _pictures.start();
    _departures.start();
    _context.jobs().handle(passTimeJob,
                           [this](const Job&)
                           {
                               _zones.reloadIfChanged();
                               _holdSweep.closeExpired();
                               _bookings.expireAndComplete();
                           });
    _context.jobs().every(passTimeJob, std::chrono::minutes(1));
    _context.services().provide<interfaces::BindableResources>(_bindableHosts);
    _context.services().provide<interfaces::PersonalData>(_personRecords);
}

void CalendarPlugin::declare(Routes& routes)
{
    _hostRoutes.declare(routes);
    _pictureRoutes.declare(routes);
    _scheduleRoutes.declare(routes);
    _eventTypeRoutes.declare(routes);
    _bookingRoutes.declare(routes);
    _publicRoutes.declare(routes);
    _pages.declare(routes);
    _embedRoutes.declare(routes);
    _embedPreview.declare(routes);
    _landingPage.declare(routes);
    _bookingPages.declare(routes);
    _guestPages.declare(routes);
    _externalRoutes.declare(routes);
    _oauthRoutes.declare(routes);
    _widgetRoutes.declare(routes);
    routes.get("/api/changes", access::bearer("bookings:read"), &Changes::follow, &_changes, {.summary = "Stream changes"});
}

std::vector<HealthCheck> CalendarPlugin::health()
{
    // Without it notifications lack the host's address, and nothing else.
    return {{.name = std::string(interfaces::Directory::interfaceName),
             .healthy = static_cast<bool>(_context.services().find<interfaces::Directory>()),
             .neededToServe = false},
            {.name = "tzdata " + _zones.version(), .healthy = !_zones.version().empty()}};
}

} // namespace portico::calendar
