#pragma once

#include "bookings/AvailabilityService.h"
#include "bookings/BookingService.h"
#include "bookings/BookingViews.h"
#include "bookings/ChatMeetings.h"
#include "embed/EmbedOrigins.h"
#include "holds/HoldService.h"

#include "portico/Routes.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace portico::calendar
{

/// An event type in the list of a host.
struct PublicEventTypeItem
{
    std::string slug;
    std::string title;
    int durationMinutes = 0;
    std::vector<int> durationOptions;
    std::string description;
};

constexpr auto schemaOf(const PublicEventTypeItem*)
{
    return describe(members<&PublicEventTypeItem::slug, &PublicEventTypeItem::title, &PublicEventTypeItem::durationMinutes,
                            &PublicEventTypeItem::durationOptions, &PublicEventTypeItem::description>());
}

/// Public data of a host.
struct HostPage
{
    std::string handle;
    std::string displayName;
    std::string headline;
    std::string bio;
    std::string avatarUrl;
    std::string timeZone;
    std::vector<PublicEventTypeItem> eventTypes;
};

constexpr auto schemaOf(const HostPage*)
{
    return describe(members<&HostPage::handle, &HostPage::displayName, &HostPage::headline, &HostPage::bio, &HostPage::avatarUrl,
                            &HostPage::timeZone, &HostPage::eventTypes>());
}

/// Question that a client must have a person answer, if the host has enabled the human check.
struct PublicHumanCheck
{
    std::string question;
    std::string token;
};

constexpr auto schemaOf(const PublicHumanCheck*)
{
    return describe(field<&PublicHumanCheck::question>().description("Question for the guest, for example `3 + 8`"),
                    field<&PublicHumanCheck::token>());
}

/// Public data of an event type.
struct PublicEventType
{
    std::string handle;
    std::string hostName;
    std::string slug;
    std::string title;
    std::string description;
    int durationMinutes = 0;
    std::vector<int> durationOptions;
    int seatsPerSlot = 1;
    MeetingKind meetingKind = MeetingKind::None;
    bool requiresApproval = false;
    std::vector<Question> questions;
    int allowAdditionalGuests = 0;
    CancelPolicy cancelPolicy;
    ReschedulePolicy reschedulePolicy;
    std::string timeZone;
    std::optional<PublicHumanCheck> humanCheck;
};

constexpr auto schemaOf(const PublicEventType*)
{
    return describe(
        members<&PublicEventType::handle, &PublicEventType::hostName, &PublicEventType::slug, &PublicEventType::title,
                &PublicEventType::description, &PublicEventType::durationMinutes, &PublicEventType::durationOptions,
                &PublicEventType::seatsPerSlot, &PublicEventType::meetingKind, &PublicEventType::requiresApproval,
                &PublicEventType::questions, &PublicEventType::allowAdditionalGuests, &PublicEventType::cancelPolicy,
                &PublicEventType::reschedulePolicy, &PublicEventType::timeZone>(),
        field<&PublicEventType::humanCheck>().description("Question that the guest must answer to confirm, if the host requires it"));
}

struct ExplainQuery
{
    Instant start{};
    std::optional<int> duration;
};

constexpr auto schemaOf(const ExplainQuery*)
{
    return describe(field<&ExplainQuery::start>().required(), field<&ExplainQuery::duration>());
}

/// The link of a guest.
struct GuestLink
{
    std::string token;
};

constexpr auto schemaOf(const GuestLink*) { return describe(field<&GuestLink::token>().required().maxLength(200)); }

struct GuestCancel
{
    std::string token;
    std::string reason;
};

constexpr auto schemaOf(const GuestCancel*)
{
    return describe(field<&GuestCancel::token>().required().maxLength(200), field<&GuestCancel::reason>().trimmed().maxLength(500));
}

struct GuestMove
{
    std::string token;
    HoldId holdId;
    std::string holdToken;
    std::string reason;
};

constexpr auto schemaOf(const GuestMove*)
{
    return describe(field<&GuestMove::token>().required().maxLength(200), field<&GuestMove::holdId>().required(),
                    field<&GuestMove::holdToken>().required().maxLength(200), field<&GuestMove::reason>().trimmed().maxLength(500));
}

/// Public API for guests and embedding pages, without sign-in: /api/public. Thread-safe.
class PublicRoutes
{
public:
    PublicRoutes(const BookingTools& tools, const AvailabilityService& availability, const HoldService& holds,
                 const BookingService& bookings, const ChatMeetings& meetings, const EmbedOrigins& embedders, WordsOf words)
        : _tools(tools),
          _availability(availability),
          _holds(holds),
          _bookings(bookings),
          _meetings(meetings),
          _embedders(embedders),
          _words(std::move(words))
    {
    }
    void declare(Routes& routes);

    HostPage host(const Path<std::string>& handle) const;
    PublicEventType eventType(const Path<std::string>& handle, const Path<std::string>& slug) const;
    Reply<Availability> availability(const Path<std::string>& handle, const Path<std::string>& slug,
                                     const Query<AvailabilityQuery>& query) const;
    Explanation explainSlot(const Path<std::string>& handle, const Path<std::string>& slug, const Query<ExplainQuery>& query) const;
    Created<HoldAnswer> hold(const Request& request, const Path<std::string>& handle, const Path<std::string>& slug,
                             const Body<HoldRequest>& body) const;
    NoContent release(const Request& request, const Path<HoldId>& hold, const Header<"X-Hold-Token", std::string>& token) const;
    Created<ConfirmAnswer> confirm(const Request& request, const Path<std::string>& handle, const Path<std::string>& slug,
                                   const Body<ConfirmRequest>& body) const;
    GuestBooking booking(const Path<BookingId>& id, const Query<GuestLink>& link) const;
    Response calendarFile(const Path<BookingId>& id, const Query<GuestLink>& link) const;
    GuestBooking cancel(const Request& request, const Path<BookingId>& id, const Body<GuestCancel>& body, const IfMatch& ifMatch) const;
    GuestBooking reschedule(const Request& request, const Path<BookingId>& id, const Body<GuestMove>& body, const IfMatch& ifMatch) const;

private:
    /// Returns the offer of a handle and a slug. `duration` is a member of the query.
    Offer offerFor(std::string_view handle, std::string_view slug, std::optional<int> duration) const;
    /// Returns the new booking, or the one that the hold has become earlier.
    Confirmation confirmed(const std::string& handle, const std::string& slug, const ConfirmRequest& request,
                           const BookingChannel& channel) const;

    const BookingTools& _tools;
    const AvailabilityService& _availability;
    const HoldService& _holds;
    const BookingService& _bookings;
    const ChatMeetings& _meetings;
    const EmbedOrigins& _embedders;
    const WordsOf _words;
};

} // namespace portico::calendar
