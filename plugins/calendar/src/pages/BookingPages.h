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
    return describe(field("url", &ListedType::url), field("title", &ListedType::title), field("duration", &ListedType::duration),
                    field("description", &ListedType::description));
}

/// A host's page.
struct HostView
{
    std::string name;
    std::string headline;
    std::string bio;
    std::string avatarUrl;
    std::string logoUrl;
    std::vector<ListedType> types;
    /// Takes no bookings at the moment.
    bool paused = false;
};

constexpr auto schemaOf(const HostView*)
{
    return describe(field("name", &HostView::name), field("headline", &HostView::headline), field("bio", &HostView::bio),
                    field("avatarUrl", &HostView::avatarUrl), field("logoUrl", &HostView::logoUrl), field("types", &HostView::types),
                    field("paused", &HostView::paused));
}

/// A free time near one that is not.
struct NearTime
{
    Instant start{};
    std::string label;
};

constexpr auto schemaOf(const NearTime*) { return describe(field("start", &NearTime::start), field("label", &NearTime::label)); }

/// The page on which something is booked.
struct TypeView
{
    std::string hostName;
    std::string hostUrl;
    std::string avatarUrl;
    std::string logoUrl;
    std::string title;
    std::string text;
    std::string duration;
    std::string durationMinutes;
    bool online = false;
    bool phone = false;
    bool inPerson = false;
    bool instructions = false;
    bool approval = false;
    bool changeable = false;
    bool many = false;
    int seatsPerSlot = 1;
    bool paused = false;
    /// What went wrong.
    std::string notice;
    bool hasNearest = false;
    std::vector<NearTime> nearest;
    Picker picker;
    GuestForm form;
    /// Where the guest is led once it is booked; empty: to the page of the booking.
    std::string redirectUrl;
    /// Where the script asks.
    std::string apiUrl;
    std::string words;
    bool twelveHours = false;
    int weekStart = 1;
    /// Of the frame that it is shown in, for the form.
    std::vector<PickerField> embed;
};

constexpr auto schemaOf(const TypeView*)
{
    return describe(field("hostName", &TypeView::hostName), field("hostUrl", &TypeView::hostUrl), field("avatarUrl", &TypeView::avatarUrl),
                    field("logoUrl", &TypeView::logoUrl), field("title", &TypeView::title), field("text", &TypeView::text),
                    field("duration", &TypeView::duration), field("durationMinutes", &TypeView::durationMinutes),
                    field("online", &TypeView::online), field("phone", &TypeView::phone), field("inPerson", &TypeView::inPerson),
                    field("instructions", &TypeView::instructions), field("approval", &TypeView::approval),
                    field("changeable", &TypeView::changeable), field("many", &TypeView::many),
                    field("seatsPerSlot", &TypeView::seatsPerSlot), field("paused", &TypeView::paused), field("notice", &TypeView::notice),
                    field("hasNearest", &TypeView::hasNearest), field("nearest", &TypeView::nearest), field("picker", &TypeView::picker),
                    field("form", &TypeView::form), field("redirectUrl", &TypeView::redirectUrl), field("apiUrl", &TypeView::apiUrl),
                    field("words", &TypeView::words), field("twelveHours", &TypeView::twelveHours),
                    field("weekStart", &TypeView::weekStart), field("embed", &TypeView::embed));
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
        /// Code of what was refused, for the page around a frame.
        std::string problem;
        TypeView view;
    };
    Drawn draw(const Request& request, const std::string& handle, const std::string& slug, const Fields& fields) const;
    Response rendered(const Request& request, const Drawn& drawn, int status) const;
    Response refused(const Request& request, Drawn drawn, const Problem& problem) const;
    Confirmation confirm(const Request& request, const Drawn& drawn, const Fields& fields) const;
    bool isHuman(const Drawn& drawn, const Fields& fields) const;

    const BookingTools& _tools;
    const AvailabilityService& _availability;
    const HoldService& _holds;
    const BookingService& _bookings;
    const ChatMeetings& _meetings;
    const EmbedOrigins& _embedOrigins;
    const Pages& _pages;
    const ProblemPage& _problems;
    WebPage<HostView> _hostPage;
    WebPage<TypeView> _typePage;
};

/// The fields of a form. @throws Problem 415 for another kind of body, 400 for one that cannot be read
Fields formOf(const RawBody& body);

} // namespace portico::calendar
