#pragma once

#include "portico/Export.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico
{

class Session;

/// A file that goes with a mail.
struct MailAttachment
{
    /// Display name, UTF-8, without a path; sent as RFC 2231 requires.
    std::string fileName;
    /// Media type of `bytes` or of the blob.
    std::string mediaType = "application/octet-stream";
    /// The content, for small ones: it is kept in the database until the mail is sent.
    std::string bytes = {};
    /// Or the key of a blob of the service, which must be there until the mail is sent: without it the mail is a dead letter.
    std::string blobKey = {};
    /// Shown in the HTML text, which names it `cid:<contentId>`: letters, digits and `._-@`. Empty: a file beside the text.
    std::string contentId = {};
};

/// One mail to one mailbox. All fields are checked against header and MIME injection.
struct Mail
{
    /// `local@domain`, at most 254 bytes.
    std::string to;
    /// One line, at most 400 bytes.
    std::string subject;
    /// Plain text and HTML, alternatives of each other; one of them may be empty. Together at most 1 MiB.
    std::string text;
    std::string html;
    /// Shown beside the address; one line, at most 200 bytes (RFC 2047).
    std::string toName = {};
    /// Shown beside the sender's address in place of the operator's name for it; as `toName`.
    std::string fromName = {};
    /// The sender's address, where the operator lets services choose it (`mail.senders`); empty: that of `mail.from`.
    std::string fromAddress = {};
    /// Where answers go (RFC 5322, 3.6.2); empty: to the sender.
    std::string replyTo = {};
    /// At most 20; `bytes` of all at most 1 MiB, with the blobs at most 10 MiB.
    std::vector<MailAttachment> attachments = {};
    /// An iCalendar object (RFC 5545), sent as a third alternative that mail programs answer (iMIP, RFC 6047). The part's type carries its
    /// METHOD. At most 256 KiB.
    std::string calendar = {};
    /// Own headers, of these: `List-Unsubscribe` and `List-Unsubscribe-Post` (RFC 2369, 8058), `List-Id` (RFC 2919), `In-Reply-To` and
    /// `References` (RFC 5322, 3.6.4), `Auto-Submitted` (RFC 3834; otherwise `auto-generated`). Each once, ASCII, at most 2,000 bytes.
    std::vector<std::pair<std::string, std::string>> headers = {};
};

/// Sends mail after the transaction that asked for it, at least once. Thread-safe.
class PORTICO_API Mailer
{
public:
    virtual ~Mailer();
    /// Queues the mail in the caller's transaction. Returns its Message-ID with the angle brackets, for a later `In-Reply-To`.
    /// @throws Problem 400 `validation_failed` with the member that cannot be sent.
    virtual std::string send(Session& session, const Mail& mail) = 0;
};

} // namespace portico
