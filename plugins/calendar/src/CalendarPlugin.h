#pragma once

#include "bookings/AvailabilityService.h"
#include "bookings/BookingEvents.h"
#include "bookings/BookingRoutes.h"
#include "bookings/BookingService.h"
#include "bookings/ChatMeetings.h"
#include "embed/EmbedRoutes.h"
#include "eventtypes/EventTypeRoutes.h"
#include "external/ExternalEvents.h"
#include "external/ExternalRoutes.h"
#include "external/ExternalSync.h"
#include "external/OAuthRoutes.h"
#include "holds/HoldService.h"
#include "holds/HoldSweep.h"
#include "hosts/BindableHosts.h"
#include "hosts/Departures.h"
#include "hosts/HostRoutes.h"
#include "hosts/PictureRoutes.h"
#include "mails/BookingMails.h"
#include "pages/BookingPages.h"
#include "pages/EmbedPreview.h"
#include "pages/GuestPages.h"
#include "pages/LandingPage.h"
#include "pages/ProblemPage.h"
#include "portico/TimeZones.h"
#include "privacy/PersonRecords.h"
#include "public/PublicRoutes.h"
#include "schedules/ScheduleRoutes.h"
#include "widget/WidgetRoutes.h"

#include "portico/Changes.h"
#include "portico/Plugin.h"

namespace portico::calendar
{

/// The calendar service: ties its resources together.
class CalendarPlugin final : public Plugin
{
public:
    explicit CalendarPlugin(PluginContext& context);

    void start() override;
    void declare(Routes& routes) override;
    std::vector<HealthCheck> health() override;

    /// `Templates::findings` of the public pages.
    std::vector<std::string> pageFindings() const { return _pages.findings(); }

private:
    WordsOf words() const;

    PluginContext& _context;
    TimeZones _zones;
    const BookingTools _tools;
    BookingEvents _events;
    ChatMeetings _meetings;
    ExternalSync _externalSync;
    ExternalEvents _externalEvents;
    Pages _pages;
    BookingMails _mails;
    AvailabilityService _availability;
    HoldService _holds;
    BookingService _bookings;
    HoldSweep _holdSweep;
    EmbedOrigins _embedOrigins;
    BindableHosts _bindableHosts;
    Departures _departures;
    Pictures _pictures;
    HostRoutes _hostRoutes;
    PictureRoutes _pictureRoutes;
    ScheduleRoutes _scheduleRoutes;
    EventTypeRoutes _eventTypeRoutes;
    BookingRoutes _bookingRoutes;
    PublicRoutes _publicRoutes;
    ProblemPage _problemPage;
    EmbedRoutes _embedRoutes;
    EmbedPreview _embedPreview;
    LandingPage _landingPage;
    BookingPages _bookingPages;
    GuestPages _guestPages;
    ExternalRoutes _externalRoutes;
    OAuthRoutes _oauthRoutes;
    WidgetRoutes _widgetRoutes;
    PersonRecords _personRecords;
    Changes _changes;
};

} // namespace portico::calendar
