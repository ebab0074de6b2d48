#include "bookings/ChatMeetings.h"

#include "invitations/BookingInvitation.h"

#include "portico/Json.h"

namespace portico::calendar
{

namespace
{
constexpr std::string_view meetingJob = "calendar.meetings";
constexpr std::chrono::seconds jobWaits{20};

struct MeetingHost
{
    std::string userId;
    std::string displayName;
    std::string email;
};

constexpr auto schemaOf(const MeetingHost*)
{
    return describe(members<&MeetingHost::userId, &MeetingHost::displayName, &MeetingHost::email>());
}

struct MeetingGuest
{
    std::string name;
    std::string email;
};

constexpr auto schemaOf(const MeetingGuest*) { return describe(members<&MeetingGuest::name, &MeetingGuest::email>()); }

/// Request body for the chat service.
struct MeetingRequest
{
    BookingId bookingId;
    std::string organizationId;
    MeetingHost host;
    std::string title;
    Instant start{};
    Instant end{};
    std::vector<MeetingGuest> guests;
    std::string source = "calendar";
};

constexpr auto schemaOf(const MeetingRequest*)
{
    return describe(members<&MeetingRequest::bookingId, &MeetingRequest::organizationId, &MeetingRequest::host, &MeetingRequest::title,
                            &MeetingRequest::start, &MeetingRequest::end, &MeetingRequest::guests, &MeetingRequest::source>());
}

/// The part of the chat service's answer that is used.
struct MeetingAnswer
{
    std::string guestUrl;
};

constexpr auto schemaOf(const MeetingAnswer*) { return describe(field<&MeetingAnswer::guestUrl>().required().uri()); }

std::optional<MeetingStep> stepFor(std::string_view what)
{
    if (what == "confirmed") return MeetingStep::Make;
    if (what == "rescheduled") return MeetingStep::Move;
    if (what == "cancelled") return MeetingStep::Remove;
    return std::nullopt;
}
} // namespace

ChatMeetings::ChatMeetings(const BookingTools& tools, std::vector<const BookingListener*> listeners)
    : _tools(tools),
      _url(tools.context.config().url("calendar.chat.url")),
      _token(tools.context.config().secret("calendar.chat.tokenFile")),
      _listeners(std::move(listeners))
{
}

void ChatMeetings::start()
{
    using namespace std::chrono;
    auto& jobs = _tools.context.jobs();
    jobs.handle<MeetingJob>(meetingJob, [this](const MeetingJob& job, const Job&) { run(job); });
    jobs.backOff(meetingJob, {5s, 30s, 2min, 10min, 1h});
    jobs.onFailure(meetingJob, &ChatMeetings::gaveUp, this);
}

void ChatMeetings::happened(Transaction& transaction, std::string_view what, const BookingContext& subject) const
{
    const auto step = stepFor(what);
    if (!configured() || subject.booking.meetingKind != MeetingKind::ChatMeeting || !step) return;
    // The confirmation itself tries first.
    const auto delay = *step == MeetingStep::Make ? std::chrono::milliseconds(2 * confirmationWaits) : std::chrono::milliseconds(0);
    enqueue(transaction, subject.tenant(), subject.booking.bookingId, *step, delay);
}

void ChatMeetings::enqueue(Transaction& transaction, Tenant tenant, const BookingId& id, MeetingStep step,
                           std::chrono::milliseconds delay) const
{
    _tools.context.jobs().enqueue(transaction, meetingJob, MeetingJob{std::string(tenant.text()), id, step}, {.delay = delay});
}

void ChatMeetings::followUp(Transaction& transaction, Tenant tenant, const Booking& booking) const
{
    if (booking.status == BookingStatus::Cancelled) enqueue(transaction, tenant, booking.bookingId, MeetingStep::Remove);
    // Sends the time again, because an earlier attempt whose answer was lost may have sent the old time.
    else if (!booking.previousStart.empty())
        enqueue(transaction, tenant, booking.bookingId, MeetingStep::Move);
}

HttpClient::Response ChatMeetings::ask(std::string method, const BookingContext& subject, std::chrono::milliseconds timeout) const
{
    const auto& booking = subject.booking;
    HttpClient::Request request;
    request.url = _url + "/internal/calendar/meetings" + (method == "POST" ? "" : "/" + booking.bookingId.text());
    request.headers = {
        {"Authorization", "Bearer " + _token}, {"Content-Type", "application/json"}, {"Idempotency-Key", booking.bookingId.text()}};
    request.timeout = timeout;
    if (method != "DELETE")
    {
        MeetingRequest body{booking.bookingId,
                            subject.organizationId,
                            {subject.host.userId, subject.host.displayName, hostAddress(_tools, subject)},
                            booking.title,
                            booking.start,
                            booking.end,
                            {{booking.guest.name, booking.guest.email}}};
        for (const auto& guest : booking.additionalGuests) body.guests.push_back({guest.name, guest.email});
        request.body = toJson(body);
    }
    request.method = std::move(method);
    auto answer = _tools.context.http().send(request);
    const bool gone = request.method == "DELETE" && answer.status == 404;
    if (answer.status / 100 != 2 && !gone) throw std::runtime_error("The chat service answered " + std::to_string(answer.status));
    return answer;
}

std::string ChatMeetings::make(const BookingContext& subject, std::chrono::milliseconds timeout) const
{
    const auto answer = ask("POST", subject, timeout);
    // Later versions of it may tell more.
    const auto made = fromStoredJson<MeetingAnswer>(answer.body);
    validate(made);
    return made.guestUrl;
}

std::optional<Booking> ChatMeetings::setMeeting(Tenant tenant, const BookingId& id, MeetingStatus status,
                                                const std::optional<std::string>& link) const
{
    return _tools.database().transact(
        [&](Transaction& transaction) -> std::optional<Booking>
        {
            const auto before = bookingTable.findForUpdate(transaction, tenant, id);
            if (before && link) followUp(transaction, tenant, *before);
            // The confirmation and its job may both have asked. Only one of them publishes the result.
            if (!before || before->meetingStatus != MeetingStatus::Provisioning) return before;
            const auto edit = [&](Booking& booking)
            {
                booking.meetingStatus = status;
                if (status == MeetingStatus::Failed) booking.meetingReason = MeetingFailure::ChatUnreachable;
                if (!link) return;
                booking.meetingProviderRef = link;
                ++booking.iCalSequence;
            };
            BookingContext subject{
                std::string(tenant.text()), {}, {}, bookingTable.change(transaction, tenant, id, IfMatch(""), {_tools.now()}, edit)};
            subject.host = hostTable.require(transaction, tenant, subject.booking.hostId);
            subject.type = eventTypeTable.find(transaction, tenant, subject.booking.hostId, subject.booking.eventTypeId);
            if (subject.booking.status != BookingStatus::Confirmed) return subject.booking;
            subject.hostEmail = _tools.emailOf(tenant, subject.host);
            for (const auto* listener : _listeners) listener->happened(transaction, link ? "meeting_ready" : "meeting_failed", subject);
            return subject.booking;
        });
}

void ChatMeetings::tryNow(BookingContext& subject) const
{
    auto& booking = subject.booking;
    if (booking.meetingStatus != MeetingStatus::Provisioning || booking.status != BookingStatus::Confirmed) return;
    try
    {
        const auto link = make(subject, confirmationWaits);
        if (auto now = setMeeting(subject.tenant(), booking.bookingId, MeetingStatus::Ready, link)) booking = *std::move(now);
    }
    catch (const std::exception& error)
    {
        _tools.context.logger().information("A meeting is made later", {{"booking", booking.bookingId.text()}, {"reason", error.what()}});
    }
}

void ChatMeetings::run(const MeetingJob& job) const
{
    const auto tenant = Tenant::fromStored(job.organizationId);
    BookingContext subject{job.organizationId, {}, {}, {}};
    {
        auto session = _tools.database().session();
        const auto booking = bookingTable.find(session, tenant, job.bookingId);
        if (!booking) return;
        subject.booking = *booking;
        subject.host = hostTable.require(session, tenant, booking->hostId);
    }
    const bool stands = subject.booking.status == BookingStatus::Confirmed;
    const bool waits = subject.booking.meetingStatus == MeetingStatus::Provisioning;
    // A meeting may exist if its creation had no answer, even if an earlier removal found none.
    const bool forgotten = waits && subject.booking.status == BookingStatus::Cancelled;
    if (job.step == MeetingStep::Remove || forgotten)
        ask("DELETE", subject, jobWaits);
    else if (stands && job.step == MeetingStep::Move && subject.booking.meetingStatus == MeetingStatus::Ready)
        tellMove(subject);
    else if (stands && waits)
        setMeeting(tenant, job.bookingId, MeetingStatus::Ready, make(subject, jobWaits));
}

/// Sends the current time of the booking. Two jobs may run concurrently: a job that finds the booking moved again enqueues another one.
void ChatMeetings::tellMove(const BookingContext& subject) const
{
    ask("PATCH", subject, jobWaits);
    const auto& told = subject.booking;
    _tools.database().transact(
        [&](Transaction& transaction)
        {
            const auto now = bookingTable.findForUpdate(transaction, subject.tenant(), told.bookingId);
            if (now && (now->status != told.status || now->start != told.start || now->end != told.end))
                followUp(transaction, subject.tenant(), *now);
        });
}

void ChatMeetings::gaveUp(const MeetingJob& job, const Job&, std::string_view)
{
    if (job.step == MeetingStep::Make)
        setMeeting(Tenant::fromStored(job.organizationId), job.bookingId, MeetingStatus::Failed, std::nullopt);
}

} // namespace portico::calendar
