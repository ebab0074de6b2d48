#pragma once

#include "portico/Export.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico
{

class Session;

/// An attachment of a mail.
struct MailAttachment
{
    /// Display name, UTF-8, without a path; sent as RFC 2231 requires.
    std::string fileName;
    /// Media type of `bytes` or of the blob.
    std::string mediaType = "application/octet-stream";
    /// Content of a small attachment. It is stored in the database until the mail is sent.
    std::string bytes = {};
    /// Alternatively the key of a blob of the service. The blob must exist until the mail is sent; otherwise the mail is a dead letter.
    std::string blobKey = {};
    /// Id of an inline image, which the HTML text refers to as `cid:<contentId>`: letters, digits and `._-@`. Empty: a regular attachment.
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
    /// Display name of the sender instead of the operator's; limits as for `toName`.
    std::string fromName = {};
    /// Sender address, if the operator allows services to choose it (`mail.senders`); empty: `mail.from`.
    std::string fromAddress = {};
    /// Reply-To (RFC 5322, 3.6.2); empty: none.
    std::string replyTo = {};
    /// At most 20; `bytes` of all at most 1 MiB, with the blobs at most 10 MiB.
    std::vector<MailAttachment> attachments = {};
    /// An iCalendar object (RFC 5545), sent as a third alternative that mail programs answer (iMIP, RFC 6047). The part's type carries its
    /// METHOD. At most 256 KiB.
    std::string calendar = {};
    /// Additional headers. Allowed are `List-Unsubscribe` and `List-Unsubscribe-Post` (RFC 2369, 8058), `List-Id` (RFC 2919), `In-Reply-To`
    /// and `References` (RFC 5322, 3.6.4), `Auto-Submitted` (RFC 3834; otherwise `auto-generated`). Each once, ASCII, at most 2,000 bytes.
    std::vector<std::pair<std::string, std::string>> headers = {};
};

/// Sends mail after the commit of the transaction that enqueued it, at least once. Thread-safe.
class PORTICO_API Mailer
{
public:
    virtual ~Mailer();
    /// Queues the mail in the caller's transaction. Returns its Message-ID with the angle brackets, for a later `In-Reply-To`.
    /// @throws Problem 400 `validation_failed` with the member that cannot be sent.
    virtual std::string send(Session& session, const Mail& mail) = 0;
};

} // namespace portico
