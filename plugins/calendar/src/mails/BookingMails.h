#pragma once

#include "hosttime/BookingTools.h"
#include "records/BookingListener.h"
#include "texts/Words.h"

#include "portico/Templates.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::calendar
{

/// A booking as its mails tell of it.
struct BookingMail
{
    struct Line
    {
        std::string label;
        std::string text;
        friend constexpr auto schemaOf(const Line*) { return describe(members<&Line::label, &Line::text>()); }
    };
    /// One of these is true: the event of the mail.
    bool confirmed = false, requested = false, declined = false, cancelled = false, rescheduled = false, expired = false, meeting = false,
         meetingFailed = false;
    /// True if the booking still takes place, or may.
    bool open = false;
    std::string title, hostName, guestName, guestEmail, guestPhone;
    /// Names of additional guests; in their mails the name of the guest.
    std::string others, broughtBy;
    /// Empty for one.
    std::string seats;
    std::string when, previously, where, reason, notes;
    std::vector<Line> answers;
    /// The reader's page of the booking.
    std::string link;
};

constexpr auto schemaOf(const BookingMail*)
{
    return describe(
        members<&BookingMail::confirmed, &BookingMail::requested, &BookingMail::declined, &BookingMail::cancelled,
                &BookingMail::rescheduled, &BookingMail::expired, &BookingMail::meeting, &BookingMail::meetingFailed, &BookingMail::open,
                &BookingMail::title, &BookingMail::hostName, &BookingMail::guestName, &BookingMail::guestEmail, &BookingMail::guestPhone,
                &BookingMail::others, &BookingMail::broughtBy, &BookingMail::seats, &BookingMail::when, &BookingMail::previously,
                &BookingMail::where, &BookingMail::reason, &BookingMail::notes, &BookingMail::answers, &BookingMail::link>());
}

/// The text of a mail in its HTML frame.
struct MailFrame
{
    std::string subject, text, link;
};

constexpr auto schemaOf(const MailFrame*) { return describe(members<&MailFrame::subject, &MailFrame::text, &MailFrame::link>()); }

/// Sends mails about bookings to guests and hosts, with an invitation (iTIP, RFC 5546), in their language and time zone. Failures are
/// logged and do not affect the booking. Thread-safe.
class BookingMails final : public BookingListener
{
public:
    /// Returns the guest's link; empty if its token cannot be decrypted.
    using LinkOf = std::function<std::string(const Booking&)>;

    /// @throws std::runtime_error that lists the faults in the templates
    BookingMails(const BookingTools& tools, WordsOf words, LinkOf guestLink);
    void happened(Transaction& transaction, std::string_view what, const BookingContext& subject) const override;
    /// `Templates::findings`.
    std::vector<std::string> findings() const { return _templates.findings(); }

private:
    void tellGuest(Transaction& transaction, std::string_view what, const BookingContext& subject, const std::string& host) const;
    void tellBroughtAlong(Transaction& transaction, std::string_view what, const BookingContext& subject, const std::string& host) const;
    void tellHost(Transaction& transaction, std::string_view what, const BookingContext& subject, const std::string& host) const;
    BookingMail record(std::string_view what, const BookingContext& subject, const TimeZone& zone, const std::string& locale) const;
    void send(Transaction& transaction, Mail mail, const std::string& text, const std::string& link, const std::string& locale) const;

    const BookingTools& _tools;
    WordsOf _words;
    LinkOf _guestLink;
    Templates _templates;
    Template<BookingMail> _guestText;
    Template<BookingMail> _hostText;
    Template<MailFrame> _html;
};

} // namespace portico::calendar
