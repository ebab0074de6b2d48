#pragma once

#include "hosttime/BookingTools.h"
#include "records/BookingListener.h"

#include "portico/Jobs.h"

#include <chrono>
#include <vector>

namespace portico::calendar
{

/// What is asked of the chat service.
enum class MeetingStep
{
    Make,
    Move,
    Remove
};

constexpr auto schemaOf(const MeetingStep*)
{
    return portico::choices<MeetingStep>({{"make", MeetingStep::Make}, {"move", MeetingStep::Move}, {"remove", MeetingStep::Remove}});
}

/// A job of it.
struct MeetingJob
{
    std::string organizationId;
    BookingId bookingId;
    MeetingStep step = MeetingStep::Make;
};

constexpr auto schemaOf(const MeetingJob*)
{
    return describe(members<&MeetingJob::organizationId, &MeetingJob::bookingId, &MeetingJob::step>());
}

/// Meetings of the chat service for bookings of the kind `chat_meeting`: made once a booking is confirmed, moved and removed with it. The
/// booking stands whatever the chat service does. Thread-safe.
class ChatMeetings final : public BookingListener
{
public:
    static constexpr std::chrono::seconds confirmationWaits{2};

    /// @param listeners are told that a meeting is made, or is not; they outlive this
    ChatMeetings(const BookingTools& tools, std::vector<const BookingListener*> listeners);
    void start();

    /// Whether the operator has named a chat service.
    bool configured() const noexcept { return !_url.empty(); }
    void happened(Transaction& transaction, std::string_view what, const BookingCase& subject) const override;
    /// Makes the meeting of a new booking at once, if the chat service answers within two seconds; otherwise the job makes it.
    void tryNow(BookingCase& subject) const;

private:
    void run(const MeetingJob& job) const;
    void tellMove(const BookingCase& subject) const;
    void gaveUp(const MeetingJob& job, const Job&, std::string_view error);
    std::string make(const BookingCase& subject, std::chrono::milliseconds timeout) const;
    HttpClient::Response ask(std::string method, const BookingCase& subject, std::chrono::milliseconds timeout) const;
    std::optional<Booking> setMeeting(Tenant tenant, const BookingId& id, MeetingStatus status,
                                      const std::optional<std::string>& link) const;
    /// Has the chat service told what became of a booking while it was asked about it.
    void followUp(Transaction& transaction, Tenant tenant, const Booking& booking) const;
    void enqueue(Transaction& transaction, Tenant tenant, const BookingId& id, MeetingStep step,
                 std::chrono::milliseconds delay = {}) const;

    const BookingTools& _tools;
    std::string _url;
    std::string _token;
    std::vector<const BookingListener*> _listeners;
};

} // namespace portico::calendar
