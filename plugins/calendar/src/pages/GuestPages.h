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

constexpr auto schemaOf(const ShownAnswer*) { return describe(members<&ShownAnswer::label, &ShownAnswer::value>()); }

/// The form that cancels a booking.
struct CancelInput : FrameInput
{
    std::string token;
    std::string reason;
};

constexpr auto schemaOf(const CancelInput*)
{
    return describe(field<&CancelInput::token>().required(), field<&CancelInput::reason>().trimmed().maxLength(500),
                    inherited<FrameInput>());
}

/// The form that moves a booking to another time.
struct MoveInput : FrameInput
{
    std::string token;
    std::string tz;
    std::optional<LocalDate> date;
    std::optional<Instant> start;
};

constexpr auto schemaOf(const MoveInput*)
{
    return describe(field<&MoveInput::token>().required(), members<&MoveInput::tz>(), field<&MoveInput::date>().date(),
                    field<&MoveInput::start>().required(), inherited<FrameInput>());
}

/// Booking on its guest's page. One of the states is true.
struct GuestView : ConfirmAnswer, ShownHost
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
    std::string when;
    /// Time before the last move.
    std::string before;
    std::string place;
    std::string placeUrl;
    bool placeFollows = false;
    /// Empty for one.
    std::string seats;
    std::vector<ShownAnswer> answers;
    std::string continueUrl;
    std::string againUrl;
    /// The guest is choosing another time.
    bool moving = false;
    /// `manageUrl` in the frame.
    std::string selfUrl;
    std::string moveUrl;
    std::string bookingPath;
    std::string token;
    /// Embedding fields, for the forms. Links to other sites then open outside of the frame.
    std::vector<PickerField> embed;
    bool framed = false;
    std::string notice;
    Picker picker;
    /// Error message for the chosen time.
    std::string startFault;
    /// The reason that the guest types.
    FormField cancelReason;

    /// @param zone the guest's
    static GuestView of(const BookingContext& subject, std::string_view token, const Words& words, const TimeZone& zone, Instant now);
};

constexpr auto schemaOf(const GuestView*)
{
    return describe(
        inherited<ConfirmAnswer>(), inherited<ShownHost>(),
        members<&GuestView::confirmed, &GuestView::pending, &GuestView::cancelled, &GuestView::declined, &GuestView::expired,
                &GuestView::completed, &GuestView::noShow, &GuestView::open, &GuestView::closed, &GuestView::byHost, &GuestView::byGuest,
                &GuestView::reason, &GuestView::when, &GuestView::before, &GuestView::place, &GuestView::placeUrl, &GuestView::placeFollows,
                &GuestView::seats, &GuestView::answers, &GuestView::continueUrl, &GuestView::againUrl, &GuestView::moving,
                &GuestView::selfUrl, &GuestView::moveUrl, &GuestView::bookingPath, &GuestView::token, &GuestView::embed, &GuestView::framed,
                &GuestView::notice, &GuestView::picker, &GuestView::startFault, &GuestView::cancelReason>());
}

/// Serves the page behind a guest's link: the booking, and the forms that cancel and move it. The link is the credential. The page is
/// therefore not cached and sends no referrer, so that its forms have the origin `null`. Thread-safe.
class GuestPages
{
public:
    GuestPages(const BookingTools& tools, const AvailabilityService& availability, const HoldService& holds, const BookingService& bookings,
               const EmbedOrigins& embedOrigins, const Pages& pages, const ProblemPage& problems);
    void declare(Routes& routes);

    Response show(const Request& request, const Path<std::string>& id, const RawQuery& query) const;
    Response cancel(const Request& request, const Path<std::string>& id, const Form<CancelInput>& form) const;
    Response move(const Request& request, const Path<std::string>& id, const Form<MoveInput>& form) const;

private:
    BookingContext find(const std::string& id, std::string_view token) const;
    Response shown(const Request& request, const BookingContext& subject, const Fields& fields, const Problem* problem = nullptr) const;
    void drawPicker(GuestView& view, const BookingContext& subject, const Fields& fields, const Embedding& embedding,
                    const Words& words) const;
    void addLinks(GuestView& view, const BookingContext& subject, const Embedding& embedding) const;

    const BookingTools& _tools;
    const AvailabilityService& _availability;
    const HoldService& _holds;
    const BookingService& _bookings;
    const EmbedOrigins& _embedOrigins;
    const Pages& _pages;
    const ProblemPage& _problems;
    PublicPage<GuestView> _page;
};

} // namespace portico::calendar
