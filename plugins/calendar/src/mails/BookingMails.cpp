#include "mails/BookingMails.h"

#include "bookings/BookingViews.h"
#include "invitations/BookingInvitation.h"
#include "mails/MailFiles.h"

#include "portico/Text.h"

namespace portico::calendar
{

namespace
{
/// Cleans and truncates a text for a mail header.
std::string forHeader(std::string_view text, std::size_t characters) { return cleanText(firstCharacters(text, characters), characters); }

std::string whenText(const Words& words, const TimeZone& zone, Instant start, Instant end)
{
    const auto from = zone.localOf(start), to = zone.localOf(end);
    auto text = words.date(from.date) + ", " + words.time(from.secondOfDay) + " \u2013 ";
    if (to.date != from.date) text += words.date(to.date) + ", ";
    return text + words.time(to.secondOfDay) + ", " + zoneText(zone, start);
}

std::string nameOf(const AdditionalGuest& guest) { return guest.name.empty() ? guest.email : guest.name; }

/// Returns false for the placeholder addresses of accounts without e-mail.
bool takesMail(std::string_view address) { return !address.empty() && !address.starts_with("no-reply@"); }
} // namespace

BookingMails::BookingMails(const BookingTools& tools, WordsOf words, LinkOf guestLink)
    : _tools(tools),
      _words(std::move(words)),
      _guestLink(std::move(guestLink)),
      _templates(mailFiles(), tools.context.logger()),
      _guestText(_templates.bind<BookingMail>("guest.txt")),
      _hostText(_templates.bind<BookingMail>("host.txt")),
      _html(_templates.bind<MailFrame>("mail.html"))
{
}

void BookingMails::happened(Transaction& transaction, std::string_view what, const BookingContext& subject) const
{
    if (what == "no_show") return;
    const auto host = hostAddress(_tools, subject);
    // Guests get the meeting's link; only the host is notified of its failure.
    if (what != "meeting_failed") tellGuest(transaction, what, subject, host);
    if (what == "confirmed" || what == "rescheduled" || what == "cancelled" || what == "meeting_ready")
        tellBroughtAlong(transaction, what, subject, host);
    if (what != "meeting_ready") tellHost(transaction, what, subject, host);
}

BookingMail BookingMails::record(std::string_view what, const BookingContext& subject, const TimeZone& zone,
                                 const std::string& locale) const
{
    const auto& booking = subject.booking;
    const auto& words = _words(locale);
    BookingMail mail;
    mail.confirmed = what == "confirmed";
    mail.requested = what == "requested";
    mail.declined = what == "declined";
    mail.cancelled = what == "cancelled";
    mail.rescheduled = what == "rescheduled";
    mail.expired = what == "expired";
    mail.meeting = what == "meeting_ready";
    mail.meetingFailed = what == "meeting_failed";
    mail.open = isOpen(booking.status);
    mail.title = booking.title;
    mail.hostName = subject.host.displayName;
    mail.guestName = booking.guest.name;
    mail.guestEmail = booking.guest.email;
    mail.guestPhone = booking.guest.phone.value_or("");
    for (const auto& other : booking.additionalGuests) mail.others += (mail.others.empty() ? "" : ", ") + nameOf(other);
    if (booking.seats > 1) mail.seats = std::to_string(booking.seats);
    mail.when = whenText(words, zone, booking.start, booking.end);
    mail.where = booking.meetingProviderRef.value_or("");
    if (booking.cancellation) mail.reason = booking.cancellation->reason;
    if (booking.approval && mail.declined) mail.reason = booking.approval->reason;
    if (mail.rescheduled && !booking.previousStart.empty())
    {
        const auto& before = booking.previousStart.back();
        mail.previously = whenText(words, zone, before.start, before.end);
        mail.reason = before.reason;
    }
    mail.notes = booking.notes;
    mail.answers = {};
    for (const auto& answer : booking.answers)
        mail.answers.push_back({questionLabel(subject, answer.questionId), answerText(answer, words)});
    return mail;
}

void BookingMails::tellGuest(Transaction& transaction, std::string_view what, const BookingContext& whole, const std::string& host) const
{
    const auto subject = guestsCase(whole);
    const auto& booking = subject.booking;
    if (!takesMail(booking.guest.email)) return;
    const auto locale = _templates.localeFor(booking.guest.locale.empty() ? subject.host.locale : booking.guest.locale);
    auto told = record(what, subject, _tools.zones.find(booking.guest.timeZone).value_or(TimeZone()), locale);
    told.link = _guestLink(booking);
    told.open = told.open && !told.link.empty();
    Mail mail;
    mail.to = booking.guest.email;
    mail.toName = forHeader(booking.guest.name, 50);
    mail.fromName = forHeader(subject.host.displayName, 50);
    if (takesMail(host)) mail.replyTo = host;
    if (what != "requested" && what != "expired")
    {
        mail.calendar = icalendar::write(invitationOf(_tools, subject, host, told.link, _words(locale)));
        mail.attachments.push_back({"booking.ics", "text/calendar", mail.calendar});
    }
    send(transaction, std::move(mail), _guestText.render(told, locale), told.open ? told.link : std::string(), locale);
}

/// Sends the invitation to additional guests, without the guest's link.
void BookingMails::tellBroughtAlong(Transaction& transaction, std::string_view what, const BookingContext& subject,
                                    const std::string& host) const
{
    const auto& booking = subject.booking;
    // Additional guests were never invited to an unapproved request.
    if (booking.additionalGuests.empty() || isUnapproved(booking)) return;
    const auto locale = _templates.localeFor(booking.guest.locale.empty() ? subject.host.locale : booking.guest.locale);
    auto told = record(what, subject, _tools.zones.find(booking.guest.timeZone).value_or(TimeZone()), locale);
    told.open = false;
    told.broughtBy = booking.guest.name;
    Mail mail;
    mail.fromName = forHeader(subject.host.displayName, 50);
    mail.replyTo = booking.guest.email;
    mail.calendar = icalendar::write(invitationOf(_tools, subject, host, {}, _words(locale)));
    mail.attachments.push_back({"booking.ics", "text/calendar", mail.calendar});
    for (const auto& guest : booking.additionalGuests)
    {
        if (!takesMail(guest.email)) continue;
        told.guestName = nameOf(guest);
        mail.to = guest.email;
        mail.toName = forHeader(guest.name, 50);
        send(transaction, mail, _guestText.render(told, locale), {}, locale);
    }
}

void BookingMails::tellHost(Transaction& transaction, std::string_view what, const BookingContext& subject, const std::string& host) const
{
    if (!takesMail(host)) return;
    const auto locale = _templates.localeFor(subject.host.locale);
    auto told = record(what, subject, _tools.zones.find(subject.host.timeZone).value_or(TimeZone()), locale);
    told.link = _tools.context.host().origin + "/app/bookings/" + subject.booking.bookingId.text();
    Mail mail;
    mail.to = host;
    mail.toName = forHeader(subject.host.displayName, 50);
    mail.replyTo = subject.booking.guest.email;
    if (what == "confirmed" || what == "cancelled" || what == "rescheduled")
        mail.attachments.push_back(
            {"booking.ics", "text/calendar", icalendar::write(invitationOf(_tools, subject, host, told.link, _words(locale)))});
    send(transaction, std::move(mail), _hostText.render(told, locale), told.link, locale);
}

void BookingMails::send(Transaction& transaction, Mail mail, const std::string& text, const std::string& link,
                        const std::string& locale) const
{
    const auto line = text.find('\n');
    mail.subject = forHeader(text.substr(0, line), 100);
    mail.text = text.substr(line + 1);
    auto shown = mail.text;
    if (const auto at = link.empty() ? std::string::npos : shown.find(link); at != std::string::npos) shown.erase(at, link.size());
    mail.html = _html.render({mail.subject, shown, link}, locale);
    try
    {
        _tools.context.mailer().send(transaction, mail);
    }
    catch (const Problem& problem)
    {
        _tools.context.logger().warning("A mail about a booking cannot be sent", {{"reason", problem.detail()}});
    }
}

} // namespace portico::calendar
