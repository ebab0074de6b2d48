#pragma once

#include "portico/Instant.h"
#include "portico/Mailer.h"

#include <string>
#include <string_view>

namespace portico::host::platform
{

/// A mail with what the host adds to it.
struct OutgoingMail
{
    /// Id of the job that sends it: the Message-ID is made of it, so that receivers recognize a mail that is sent twice.
    std::string id;
    std::string from;
    Instant date{};
    Mail mail;
};

/// Refuses what could forge a header or reach a mailbox that nobody meant. @throws Problem 400 `validation_failed` with field `to` or
/// `subject`.
void checkMail(const Mail& mail);

/// `local@domain` without display name, comment, quotes or white space.
bool isMailAddress(std::string_view text) noexcept;

/// The part of `Name <local@domain>` or `local@domain` that is the address.
std::string_view addressPart(std::string_view mailbox) noexcept;

/// The whole message (RFC 5322): UTF-8, bodies in base 64, `multipart/alternative` when there is HTML. Lines end with CR LF.
std::string renderMail(const OutgoingMail& outgoing);

} // namespace portico::host::platform
