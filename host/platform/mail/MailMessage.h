#pragma once

#include "portico/Instant.h"
#include "portico/Mailer.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace portico::host::platform
{

/// A mail with what the host adds to it.
struct OutgoingMail
{
    /// Id of the job that sends it: the Message-ID is made of it, so that receivers recognize a mail that is sent twice.
    std::string id;
    /// The operator's sender, `Name <local@domain>` or `local@domain`.
    std::string from;
    Instant date{};
    /// Its attachments have their bytes.
    Mail mail;
};

/// Attachments, those of blobs included.
inline constexpr std::size_t maxAttachedBytes = std::size_t{10} << 20;

/// Rejects fields that could forge a header or a part, reach an unintended mailbox, or are too large.
/// @param senders addresses, and domains such as `@example.org`, that are allowed as sender in addition to the operator's.
/// @throws Problem 400 `validation_failed` with the member, for example `attachments[0].fileName`.
void checkMail(const Mail& mail, std::span<const std::string> senders = {});

/// `local@domain` without display name, comment, quotes or white space.
bool isMailAddress(std::string_view text) noexcept;

/// The part of `Name <local@domain>` or `local@domain` that is the address.
std::string_view addressPart(std::string_view mailbox) noexcept;

/// The address that a mail comes from, also for the envelope.
std::string_view senderOf(const OutgoingMail& mail) noexcept;

/// `<id@domain of from>`
std::string messageIdOf(std::string_view id, std::string_view from);

/// The whole message (RFC 5322): UTF-8, bodies in base 64, lines that end with CR LF. As far as they are needed, from the outside in:
/// `multipart/mixed` with the attachments, `multipart/alternative` of text, HTML and calendar, `multipart/related` of the HTML and what it
/// shows.
std::string renderMail(const OutgoingMail& outgoing);

/// A text for a header: as it is, or as RFC 2047 words that are cut between characters, a line each.
std::string encodedHeader(std::string_view text);
/// `local@domain`, with a name `"Name" <local@domain>`.
std::string mailbox(std::string_view name, std::string_view address);
/// A value of ASCII words, broken between them into lines of at most 76 characters where that can be. @param used of the first line
std::string folded(std::string_view value, std::size_t used);
/// `;\r\n filename="a.pdf"`, or the pieces that RFC 2231 has for other characters and for long names.
std::string fileNameParameter(std::string_view name);
void appendWrappedBase64(std::string& out, std::string_view bytes);
/// Returns the METHOD of an iCalendar object, in capitals; empty for other texts, or without one.
std::string calendarMethod(std::string_view calendar);
/// Returns the usual spelling of a header that a mail may set; empty for others.
std::string_view ownHeaderName(std::string_view name) noexcept;

} // namespace portico::host::platform
