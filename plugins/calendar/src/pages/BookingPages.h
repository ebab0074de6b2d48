#pragma once

#include "bookings/ChatMeetings.h"
#include "bookings/PublicOffer.h"
#include "embed/EmbedOrigins.h"
#include "holds/HoldService.h"
#include "pages/GuestForm.h"
#include "pages/ProblemPage.h"

#include <string>
#include <vector>

namespace portico::calendar
{

/// The host as every page shows it.
struct ShownHost
{
    std::string hostName;
    std::string avatarUrl;
    std::string logoUrl;

    static ShownHost of(const Host& host) { return {host.displayName, host.avatarUrl, host.branding.logoUrl}; }
};

constexpr auto schemaOf(const ShownHost*) { return describe(members<&ShownHost::hostName, &ShownHost::avatarUrl, &ShownHost::logoUrl>()); }

/// Something bookable in a host's list.
struct ListedType
{
    std::string url;
    std::string title;
    std::string duration;
    std::string description;
};

constexpr auto schemaOf(const ListedType*)
{
    return describe(members<&ListedType::url, &ListedType::title, &ListedType::duration, &ListedType::description>());
}

/// A host's page.
struct HostView : ShownHost
{
    std::string headline;
    std::string bio;
    /// True while the host takes no bookings.
    bool paused = false;
    std::vector<ListedType> types = {};
};

constexpr auto schemaOf(const HostView*)
{
    return describe(inherited<ShownHost>(), members<&HostView::headline, &HostView::bio, &HostView::paused, &HostView::types>());
}

/// A free time near one that is not.
struct NearTime
{
    Instant start{};
    std::string label;
};

constexpr auto schemaOf(const NearTime*) { return describe(members<&NearTime::start, &NearTime::label>()); }

/// The page on which something is booked.
struct TypeView : ShownHost
{
    std::string title;
    std::string text;
    std::string hostUrl = {};
    std::string duration = {};
    std::string durationMinutes = {};
    bool online = false;
    bool phone = false;
    bool inPerson = false;
    bool instructions = false;
    bool approval = false;
    bool changeable = false;
    bool many = false;
    int seatsPerSlot = 1;
    bool paused = false;
    /// Text about a failure.
    std::string notice = {};
    bool hasNearest = false;
    std::vector<NearTime> nearest = {};
    Picker picker = {};
    GuestForm form = {};
    /// Page that the guest is sent to after the booking; empty: the page of the booking.
    std::string redirectUrl = {};
    /// Address of the script's requests.
    std::string apiUrl = {};
    std::string words = {};
    bool twelveHours = false;
    int weekStart = 1;
    /// Embedding fields, for the form.
    std::vector<PickerField> embed = {};

    /// The page without what a request asks for.
    static TypeView of(const Offer& offer, const Words& words);
};

constexpr auto schemaOf(const TypeView*)
{
    return describe(inherited<ShownHost>(),
                    members<&TypeView::title, &TypeView::text, &TypeView::hostUrl, &TypeView::duration, &TypeView::durationMinutes,
                            &TypeView::online, &TypeView::phone, &TypeView::inPerson, &TypeView::instructions, &TypeView::approval,
                            &TypeView::changeable, &TypeView::many, &TypeView::seatsPerSlot, &TypeView::paused, &TypeView::notice,
                            &TypeView::hasNearest, &TypeView::nearest, &TypeView::picker, &TypeView::form, &TypeView::redirectUrl,
                            &TypeView::apiUrl, &TypeView::words, &TypeView::twelveHours, &TypeView::weekStart, &TypeView::embed>());
}

/// The pages on which guests find a host and book: `/{handle}` and `/{handle}/{eventType}`. They do all that they do without scripts.
/// Thread-safe.
class BookingPages
{
public:
    BookingPages(const BookingTools& tools, const AvailabilityService& availability, const HoldService& holds,
                 const BookingService& bookings, const ChatMeetings& meetings, const EmbedOrigins& embedOrigins, const Pages& pages,
                 const ProblemPage& problems);
    void declare(Routes& routes);

    Response list(const Request& request, const Path<std::string>& handle, const RawQuery& query) const;
    Response show(const Request& request, const Path<std::string>& handle, const Path<std::string>& slug, const RawQuery& query) const;
    Response book(const Request& request, const Path<std::string>& handle, const Path<std::string>& slug, const RawQuery& query,
                  const RawBody& body) const;

private:
    /// A page as the fields ask for it.
    struct Drawn
    {
        Offer offer;
        TimeZone zone;
        std::string locale;
        Embedding embedding;
        /// Code of the refusal, for the embedding page.
        std::string problem;
        TypeView view;
    };
    Drawn draw(const Request& request, const std::string& handle, const std::string& slug, const SentBooking& sent) const;
    Response rendered(const Request& request, const Drawn& drawn, int status) const;
    Response refused(const Request& request, Drawn drawn, const Problem& problem) const;
    Confirmation confirm(const Request& request, const Drawn& drawn, const SentBooking& sent) const;
    void addChecks(GuestForm& form, const Host& host, const EventTypeId& type, const Words& words) const;
    bool isHuman(const Drawn& drawn, const BookingInput& input) const;

    const BookingTools& _tools;
    const AvailabilityService& _availability;
    const HoldService& _holds;
    const BookingService& _bookings;
    const ChatMeetings& _meetings;
    const EmbedOrigins& _embedOrigins;
    const Pages& _pages;
    const ProblemPage& _problems;
    PublicPage<HostView> _hostPage;
    PublicPage<TypeView> _typePage;
};

} // namespace portico::calendar
