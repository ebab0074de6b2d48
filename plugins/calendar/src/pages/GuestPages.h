#pragma once

#include "bookings/BookingViews.h"
#include "pages/BookingPages.h"

#include <string>
#include <vector>

namespace portico::calendar
{

struct ShownAnswer
{
    std::string label;
    std::string value;
};

constexpr auto schemaOf(const ShownAnswer*) { return describe(field("label", &ShownAnswer::label), field("value", &ShownAnswer::value)); }

/// A booking as its guest's page shows it. One of the states is true.
struct GuestView
{
    bool confirmed = false;
    bool pending = false;
    bool cancelled = false;
    bool declined = false;
    bool expired = false;
    bool completed = false;
    bool noShow = false;
    bool open = false;
    bool closed = false;
    bool byHost = false;
    bool byGuest = false;
    std::string reason;
    std::string hostName;
    std::string avatarUrl;
    std::string logoUrl;
    std::string title;
    std::string when;
    /// Where it was before it was moved the last time.
    std::string before;
    std::string place;
    std::string placeUrl;
    bool placeFollows = false;
    std::string guestName;
    std::string guestEmail;
    std::string guestPhone;
    std::vector<std::string> others;
    std::string seats;
    std::vector<ShownAnswer> answers;
    std::string notes;
    std::string icsUrl;
    CalendarLinks links;
    std::string continueUrl;
    std::string againUrl;
    bool mayCancel = false;
    bool mayMove = false;
    /// The guest is choosing another time.
    bool moving = false;
    std::string selfUrl;
    /// The same outside of a frame.
    std::string pageUrl;
    std::string moveUrl;
    std::string bookingPath;
    std::string token;
    /// Of the frame that it is shown in, for the forms; links to elsewhere then leave it.
    std::vector<PickerField> embed;
    bool framed = false;
    std::string notice;
    Picker picker;
};

constexpr auto schemaOf(const GuestView*)
{
    return describe(
        field("confirmed", &GuestView::confirmed), field("pending", &GuestView::pending), field("cancelled", &GuestView::cancelled),
        field("declined", &GuestView::declined), field("expired", &GuestView::expired), field("completed", &GuestView::completed),
        field("noShow", &GuestView::noShow), field("open", &GuestView::open), field("closed", &GuestView::closed),
        field("byHost", &GuestView::byHost), field("byGuest", &GuestView::byGuest), field("reason", &GuestView::reason),
        field("hostName", &GuestView::hostName), field("avatarUrl", &GuestView::avatarUrl), field("logoUrl", &GuestView::logoUrl),
        field("title", &GuestView::title), field("when", &GuestView::when), field("before", &GuestView::before),
        field("place", &GuestView::place), field("placeUrl", &GuestView::placeUrl), field("placeFollows", &GuestView::placeFollows),
        field("guestName", &GuestView::guestName), field("guestEmail", &GuestView::guestEmail), field("guestPhone", &GuestView::guestPhone),
        field("others", &GuestView::others), field("seats", &GuestView::seats), field("answers", &GuestView::answers),
        field("notes", &GuestView::notes), field("icsUrl", &GuestView::icsUrl), field("links", &GuestView::links),
        field("continueUrl", &GuestView::continueUrl), field("againUrl", &GuestView::againUrl), field("mayCancel", &GuestView::mayCancel),
        field("mayMove", &GuestView::mayMove), field("moving", &GuestView::moving), field("selfUrl", &GuestView::selfUrl),
        field("pageUrl", &GuestView::pageUrl), field("moveUrl", &GuestView::moveUrl), field("bookingPath", &GuestView::bookingPath),
        field("token", &GuestView::token), field("embed", &GuestView::embed), field("framed", &GuestView::framed),
        field("notice", &GuestView::notice), field("picker", &GuestView::picker));
}

/// The page that a guest's link opens: what is booked, and the forms that cancel and move it. The link is the credential, so the page is
/// neither kept nor told to others, and its forms come from `null`. Thread-safe.
class GuestPages
{
public:
    GuestPages(const BookingTools& tools, const AvailabilityService& availability, const HoldService& holds, const BookingService& bookings,
               const EmbedOrigins& embedOrigins, const Pages& pages, const ProblemPage& problems);
    void declare(Routes& routes);

    Response show(const Request& request, const Path<std::string>& id, const RawQuery& query) const;
    Response cancel(const Request& request, const Path<std::string>& id, const RawBody& body) const;
    Response move(const Request& request, const Path<std::string>& id, const RawBody& body) const;

private:
    BookingCase find(const std::string& id, std::string_view token) const;
    Response shown(const Request& request, const BookingCase& subject, const Fields& fields, const Problem* problem = nullptr) const;
    void drawPicker(GuestView& view, const BookingCase& subject, const Fields& fields, const Embedding& embedding,
                    const Words& words) const;
    Offer offerOf(const BookingCase& subject) const;

    const BookingTools& _tools;
    const AvailabilityService& _availability;
    const HoldService& _holds;
    const BookingService& _bookings;
    const EmbedOrigins& _embedOrigins;
    const Pages& _pages;
    const ProblemPage& _problems;
    WebPage<GuestView> _page;
};

} // namespace portico::calendar
