#include "host/base/Text.h"
#include "host/platform/mail/MailMessage.h"

#include "portico/Http.h"
#include "portico/Problem.h"

#include <algorithm>
#include <array>
#include <set>

namespace portico::host::platform
{

namespace
{

constexpr std::size_t longestAddress = 254;
constexpr std::size_t longestSubject = 400;
constexpr std::size_t longestName = 200;
constexpr std::size_t longestFileName = 200;
constexpr std::size_t longestContentId = 200;
constexpr std::size_t longestTexts = std::size_t{1} << 20;
constexpr std::size_t longestCalendar = std::size_t{256} << 10;
constexpr std::size_t maxAttachments = 20;
constexpr std::size_t maxInlineBytes = std::size_t{1} << 20;
constexpr std::size_t longestHeader = 2'000;
/// A line of a message has at most 998 characters, and is broken between words only.
constexpr std::size_t longestWord = 900;

[[noreturn]] void refuse(std::string_view field, std::string_view code, std::string_view message)
{
    throw Problem::invalid(field, code, message);
}

bool hasControls(std::string_view text) noexcept
{
    return std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

void checkText(std::string_view text, std::string_view field)
{
    if (!isPlainUtf8(text)) refuse(field, "invalid", "Not a text in UTF-8");
}

void checkLine(std::string_view text, std::string_view field, std::size_t longest)
{
    if (hasControls(text)) refuse(field, "invalid", "One line without control characters");
    if (text.size() > longest) refuse(field, "too_long", "At most " + std::to_string(longest) + " bytes");
    checkText(text, field);
}

void checkAddress(std::string_view address, std::string_view field)
{
    if (!isMailAddress(address)) refuse(field, "invalid_email", "Not an e-mail address");
    checkText(address, field);
}

bool isTypeToken(std::string_view text) noexcept { return !text.empty() && hasOnly(text, "!#$&^_.+-"); }

bool isMediaType(std::string_view text) noexcept
{
    const auto slash = text.find('/');
    if (slash == std::string_view::npos || text.size() > 100) return false;
    const auto type = text.substr(0, slash);
    // Those may not be in base 64 (RFC 2046, 5.1 and 5.2.1).
    return isTypeToken(type) && isTypeToken(text.substr(slash + 1)) && !equalsIgnoreCase(type, "multipart") &&
           !equalsIgnoreCase(type, "message");
}

/// `<a@b> <c@d>`, or with commas: each in angle brackets, with nothing inside that could end it.
bool isBracketed(std::string_view value) noexcept
{
    bool inside = false;
    bool any = false;
    for (const char c : value)
    {
        if (c == '<' && inside) return false;
        if (c == '>' && !inside) return false;
        if (c == '<' || c == '>')
            inside = c == '<';
        else if (inside ? c == ' ' || c == '"' : c != ' ' && c != ',')
            return false;
        any = any || c == '>';
    }
    return any && !inside;
}

bool fitsHeader(std::string_view name, std::string_view value)
{
    constexpr std::array<std::string_view, 3> automatic = {"no", "auto-generated", "auto-replied"};
    if (name == "Auto-Submitted") return std::find(automatic.begin(), automatic.end(), value) != automatic.end();
    if (name == "List-Unsubscribe-Post") return value == "List-Unsubscribe=One-Click";
    if (name == "List-Id") return value.ends_with('>') && value.find('<') != std::string_view::npos;
    return isBracketed(value);
}

std::size_t longestWordOf(std::string_view value) noexcept
{
    std::size_t longest = 0;
    while (!value.empty())
    {
        const auto end = std::min(value.size(), value.find(' '));
        longest = std::max(longest, end);
        value.remove_prefix(std::min(value.size(), end + 1));
    }
    return longest;
}

void checkHeaders(const Mail& mail)
{
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < mail.headers.size(); ++i)
    {
        const auto& [name, value] = mail.headers[i];
        const auto field = "headers[" + std::to_string(i) + "]";
        const auto known = ownHeaderName(name);
        if (known.empty()) refuse(field, "invalid", "Not a header that a mail may bring");
        if (!seen.insert(known).second) refuse(field, "not_unique", "Duplicate value");
        checkLine(value, field, longestHeader);
        const bool ascii = std::all_of(value.begin(), value.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
        if (!ascii || longestWordOf(value) > longestWord || !fitsHeader(known, value))
            refuse(field, "invalid", "Not a value of this header");
    }
}

void checkAttachments(const Mail& mail)
{
    if (mail.attachments.size() > maxAttachments)
        refuse("attachments", "too_many", "At most " + std::to_string(maxAttachments) + " attachments");
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < mail.attachments.size(); ++i)
    {
        const auto& file = mail.attachments[i];
        const auto field = "attachments[" + std::to_string(i) + "]";
        checkLine(file.fileName, field + ".fileName", longestFileName);
        if (file.fileName.find_first_of("/\\") != std::string::npos) refuse(field + ".fileName", "invalid", "A name without a path");
        if (file.fileName.empty() && file.contentId.empty()) refuse(field + ".fileName", "required", "Must not be empty");
        if (!isMediaType(file.mediaType)) refuse(field + ".mediaType", "invalid", "Not a media type of one file, as image/png");
        if (file.contentId.size() > longestContentId || !hasOnly(file.contentId, "._-@"))
            refuse(field + ".contentId", "invalid", "Letters, digits and ._-@");
        if (!file.contentId.empty() && mail.html.empty()) refuse(field + ".contentId", "invalid", "There is no HTML that shows it");
        if (!file.bytes.empty() && !file.blobKey.empty()) refuse(field + ".blobKey", "invalid", "Either bytes or a blob");
        checkText(file.blobKey, field + ".blobKey");
        bytes += file.bytes.size();
    }
    if (bytes > maxInlineBytes) refuse("attachments", "too_long", "At most 1 MiB of bytes: larger ones are blobs");
}

void checkSender(const Mail& mail, std::span<const std::string> senders)
{
    if (mail.fromAddress.empty()) return;
    checkAddress(mail.fromAddress, "fromAddress");
    const auto domain = std::string_view(mail.fromAddress).substr(mail.fromAddress.find('@'));
    const bool allowed = std::ranges::any_of(senders, [&](const auto& sender)
                                             { return equalsIgnoreCase(sender, mail.fromAddress) || equalsIgnoreCase(sender, domain); });
    if (!allowed) refuse("fromAddress", "sender_not_allowed", "The operator lets no mail come from this address (mail.senders)");
}

} // namespace

bool isMailAddress(std::string_view text) noexcept
{
    const auto at = text.find('@');
    if (at == std::string_view::npos || at == 0 || at > 64 || at + 1 == text.size() || text.size() > longestAddress) return false;
    if (text.find('@', at + 1) != std::string_view::npos || text.front() == '-') return false;
    // Separators, quotes and comments of an address list are invalid in a single address.
    return std::none_of(text.begin(), text.end(),
                        [](char c) {
                            return static_cast<unsigned char>(c) <= ' ' || c == 0x7F ||
                                   std::string_view("<>()[],;:\\\"").find(c) != std::string_view::npos;
                        });
}

void checkMail(const Mail& mail, std::span<const std::string> senders)
{
    checkAddress(mail.to, "to");
    checkLine(mail.subject, "subject", longestSubject);
    checkLine(mail.toName, "toName", longestName);
    checkLine(mail.fromName, "fromName", longestName);
    checkSender(mail, senders);
    if (!mail.replyTo.empty()) checkAddress(mail.replyTo, "replyTo");
    if (mail.text.size() + mail.html.size() > longestTexts) refuse("text", "too_long", "Texts of at most 1 MiB");
    checkText(mail.text, "text");
    checkText(mail.html, "html");
    checkText(mail.calendar, "calendar");
    if (mail.calendar.size() > longestCalendar) refuse("calendar", "too_long", "At most 256 KiB");
    if (!mail.calendar.empty() && calendarMethod(mail.calendar).empty())
        refuse("calendar", "invalid", "Not an iCalendar object with a METHOD");
    checkAttachments(mail);
    checkHeaders(mail);
}

} // namespace portico::host::platform
