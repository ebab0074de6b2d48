#pragma once

#include "hosttime/BookingTools.h"
#include "records/BookingListener.h"

#include "portico/Jobs.h"

#include <chrono>
#include <vector>

namespace portico::calendar
{

/// Operation on the chat service.
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

/// Manages the chat service's meetings for bookings of the kind `chat_meeting`: creates one after the confirmation, moves and removes it
/// with the booking. Failures of the chat service do not affect the booking. Thread-safe.
class ChatMeetings final : public BookingListener
{
public:
    static constexpr std::chrono::seconds confirmationWaits{2};

    /// @param listeners are notified when a meeting was created or has failed. They must outlive this object.
    ChatMeetings(const BookingTools& tools, std::vector<const BookingListener*> listeners);
    void start();

    /// Returns true if the operator has configured a chat service.
    bool configured() const noexcept { return !_url.empty(); }
    void happened(Transaction& transaction, std::string_view what, const BookingContext& subject) const override;
    /// Creates the meeting of a new booking if the chat service answers within two seconds. Otherwise the job creates it.
    void tryNow(BookingContext& subject) const;

private:
    void run(const MeetingJob& job) const;
    void tellMove(const BookingContext& subject) const;
    void gaveUp(const MeetingJob& job, const Job&, std::string_view error);
    std::string make(const BookingContext& subject, std::chrono::milliseconds timeout) const;
    HttpClient::Response ask(std::string method, const BookingContext& subject, std::chrono::milliseconds timeout) const;
    std::optional<Booking> setMeeting(Tenant tenant, const BookingId& id, MeetingStatus status,
                                      const std::optional<std::string>& link) const;
    /// Enqueues the change that the booking went through while the chat service was asked about it.
    void followUp(Transaction& transaction, Tenant tenant, const Booking& booking) const;
    void enqueue(Transaction& transaction, Tenant tenant, const BookingId& id, MeetingStep step,
                 std::chrono::milliseconds delay = {}) const;

    const BookingTools& _tools;
    std::string _url;
    std::string _token;
    std::vector<const BookingListener*> _listeners;
};

} // namespace portico::calendar
