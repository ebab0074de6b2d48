#include "host/platform/mail/MailMessage.h"

#include "host/base/Digests.h"

#include "portico/Problem.h"

#include <algorithm>
#include <array>
#include <ctime>

namespace portico::host::platform
{

namespace
{

constexpr std::size_t longestAddress = 254;
constexpr std::size_t longestSubject = 400;

bool hasControls(std::string_view text) noexcept
{
    return std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

bool isAscii(std::string_view text) noexcept
{
    return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// RFC 2047 words of at most 45 bytes each, cut between characters.
std::string encodedHeader(std::string_view text)
{
    if (isAscii(text)) return std::string(text);
    constexpr std::size_t wordBytes = 45;
    std::string encoded;
    while (!text.empty())
    {
        std::size_t length = std::min(wordBytes, text.size());
        while (length < text.size() && length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) --length;
        if (length == 0) length = std::min(wordBytes, text.size()); // no UTF-8: cut anywhere
        if (!encoded.empty()) encoded += "\r\n ";
        encoded += "=?UTF-8?B?" + toBase64(text.substr(0, length)) + "?=";
        text.remove_prefix(length);
    }
    return encoded;
}

std::string wrappedBase64(std::string_view text)
{
    constexpr std::size_t lineLength = 76;
    const auto encoded = toBase64(text);
    std::string lines;
    for (std::size_t at = 0; at < encoded.size(); at += lineLength) lines.append(encoded, at, lineLength).append("\r\n");
    return lines;
}

std::string part(std::string_view type, std::string_view text)
{
    return "Content-Type: " + std::string(type) + "; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n" + wrappedBase64(text);
}

/// RFC 5322 date, in English whatever the locale.
std::string mailDate(Instant instant)
{
    constexpr std::array<const char*, 7> days = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr std::array<const char*, 12> months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const std::time_t seconds = std::chrono::system_clock::to_time_t(instant);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    std::array<char, 64> text{};
    const auto length = std::snprintf(
        text.data(), text.size(), "%s, %02d %s %04d %02d:%02d:%02d +0000", days[static_cast<std::size_t>(parts.tm_wday)], parts.tm_mday,
        months[static_cast<std::size_t>(parts.tm_mon)], parts.tm_year + 1900, parts.tm_hour, parts.tm_min, parts.tm_sec);
    return {text.data(), static_cast<std::size_t>(length)};
}

} // namespace

bool isMailAddress(std::string_view text) noexcept
{
    const auto at = text.find('@');
    if (at == std::string_view::npos || at == 0 || at > 64 || at + 1 == text.size() || text.size() > longestAddress) return false;
    if (text.find('@', at + 1) != std::string_view::npos || text.front() == '-') return false;
    // What separates, quotes or comments in an address list has no place in one address.
    return std::none_of(text.begin(), text.end(),
                        [](char c) {
                            return static_cast<unsigned char>(c) <= ' ' || c == 0x7F ||
                                   std::string_view("<>()[],;:\\\"").find(c) != std::string_view::npos;
                        });
}

std::string_view addressPart(std::string_view mailbox) noexcept
{
    const auto open = mailbox.rfind('<');
    if (open == std::string_view::npos || !mailbox.ends_with('>')) return mailbox;
    return mailbox.substr(open + 1, mailbox.size() - open - 2);
}

void checkMail(const Mail& mail)
{
    if (!isMailAddress(mail.to)) throw Problem::invalid("to", "invalid_email", "Not an e-mail address");
    if (hasControls(mail.subject)) throw Problem::invalid("subject", "invalid", "A subject is one line without control characters");
    if (mail.subject.size() > longestSubject) throw Problem::invalid("subject", "too_long", "The subject is too long");
}

std::string renderMail(const OutgoingMail& outgoing)
{
    const auto domain = addressPart(outgoing.from).substr(addressPart(outgoing.from).find('@') + 1);
    std::string message = "Date: " + mailDate(outgoing.date) + "\r\nFrom: " + outgoing.from + "\r\nTo: " + outgoing.mail.to +
                          "\r\nSubject: " + encodedHeader(outgoing.mail.subject) + "\r\nMessage-ID: <" + outgoing.id + "@" +
                          std::string(domain) + ">\r\nAuto-Submitted: auto-generated\r\nMIME-Version: 1.0\r\n";
    if (outgoing.mail.html.empty()) return message + part("text/plain", outgoing.mail.text);
    // The bodies are base 64, so no line of them can be the boundary.
    const auto boundary = "=_" + outgoing.id;
    message += "Content-Type: multipart/alternative; boundary=\"" + boundary + "\"\r\n\r\n--" + boundary + "\r\n" +
               part("text/plain", outgoing.mail.text);
    message += "--" + boundary + "\r\n" + part("text/html", outgoing.mail.html) + "--" + boundary + "--\r\n";
    return message;
}

} // namespace portico::host::platform
