#include "host/platform/mail/MailMessage.h"

#include "host/base/Digests.h"
#include "host/base/Text.h"

#include "portico/Http.h"

#include <Poco/DateTimeFormatter.h>
#include <Poco/Timestamp.h>

#include <algorithm>
#include <array>
#include <functional>

namespace portico::host::platform
{

namespace
{

constexpr std::size_t lineLength = 76;

bool isAscii(std::string_view text) noexcept
{
    return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::string quoted(std::string_view text)
{
    std::string result = "\"";
    for (const char c : text)
    {
        if (c == '"' || c == '\\') result += '\\';
        result += c;
    }
    return result + '"';
}

/// RFC 5322, 3.3; in English whatever the locale.
std::string mailDate(Instant instant)
{
    const auto time = Poco::Timestamp::fromEpochTime(std::chrono::system_clock::to_time_t(instant));
    return Poco::DateTimeFormatter::format(time, "%w, %d %b %Y %H:%M:%S +0000");
}

/// Writes a message from its beginning to its end. The mail has been checked.
class MailWriter
{
public:
    explicit MailWriter(const OutgoingMail& outgoing) : _outgoing(outgoing), _mail(outgoing.mail) {}

    std::string write()
    {
        writeHeaders();
        const auto files = std::ranges::count_if(_mail.attachments, [](const auto& file) { return file.contentId.empty(); });
        if (files == 0)
            writeTexts();
        else
            multipart("mixed", {},
                      [&](const Next& next)
                      {
                          next();
                          writeTexts();
                          writeFiles(next, false);
                      });
        return std::move(_text);
    }

private:
    using Next = std::function<void()>;

    void header(std::string_view name, std::string_view value) { _text.append(name).append(": ").append(value).append("\r\n"); }

    void writeHeaders()
    {
        const bool ownSender = !_mail.fromAddress.empty() || !_mail.fromName.empty();
        header("Date", mailDate(_outgoing.date));
        header("From", ownSender ? mailbox(_mail.fromName, senderOf(_outgoing)) : _outgoing.from);
        header("To", mailbox(_mail.toName, _mail.to));
        if (!_mail.replyTo.empty()) header("Reply-To", _mail.replyTo);
        header("Subject", encodedHeader(_mail.subject));
        header("Message-ID", messageIdOf(_outgoing.id, _outgoing.from));
        bool autoSubmitted = false;
        for (const auto& [name, value] : _mail.headers)
        {
            const auto known = ownHeaderName(name);
            autoSubmitted = autoSubmitted || known == "Auto-Submitted";
            header(known, folded(value, known.size() + 2));
        }
        if (!autoSubmitted) header("Auto-Submitted", "auto-generated");
        header("MIME-Version", "1.0");
    }

    void multipart(std::string_view kind, std::string_view parameters, const std::function<void(const Next&)>& writeParts)
    {
        // The bodies are base 64, so no line of them can be the boundary. A letter distinguishes the boundaries of one mail.
        const auto boundary = "=_" + std::string(kind.substr(0, 1)) + "_" + _outgoing.id;
        header("Content-Type", "multipart/" + std::string(kind) + ";\r\n boundary=\"" + boundary + "\"" + std::string(parameters));
        _text += "\r\n";
        writeParts([&] { _text.append("--").append(boundary).append("\r\n"); });
        _text.append("--").append(boundary).append("--\r\n");
    }

    void part(std::string_view type, std::string_view content)
    {
        header("Content-Type", type);
        header("Content-Transfer-Encoding", "base64");
        _text += "\r\n";
        appendWrappedBase64(_text, content);
    }

    void writeTexts()
    {
        const bool plain = !_mail.text.empty() || (_mail.html.empty() && _mail.calendar.empty());
        const int alternatives = (plain ? 1 : 0) + (_mail.html.empty() ? 0 : 1) + (_mail.calendar.empty() ? 0 : 1);
        const auto each = [&](const Next& next)
        {
            if (plain) next(), part("text/plain; charset=utf-8", _mail.text);
            if (!_mail.html.empty()) next(), writeHtml();
            if (!_mail.calendar.empty())
                next(), part("text/calendar; charset=utf-8; method=" + calendarMethod(_mail.calendar), _mail.calendar);
        };
        if (alternatives == 1)
            each([] {});
        else
            multipart("alternative", {}, each);
    }

    void writeHtml()
    {
        const bool shows = std::ranges::any_of(_mail.attachments, [](const auto& file) { return !file.contentId.empty(); });
        if (!shows) return part("text/html; charset=utf-8", _mail.html);
        multipart("related", ";\r\n type=\"text/html\"",
                  [&](const Next& next)
                  {
                      next();
                      part("text/html; charset=utf-8", _mail.html);
                      writeFiles(next, true);
                  });
    }

    void writeFiles(const Next& next, bool shown)
    {
        for (const auto& file : _mail.attachments)
        {
            if (file.contentId.empty() == shown) continue;
            next();
            const std::string disposition = shown ? "inline" : "attachment";
            header("Content-Disposition", disposition + (file.fileName.empty() ? "" : fileNameParameter(file.fileName)));
            if (shown) header("Content-ID", "<" + file.contentId + ">");
            part(file.mediaType, file.bytes);
        }
    }

    const OutgoingMail& _outgoing;
    const Mail& _mail;
    std::string _text;
};

} // namespace

std::string encodedHeader(std::string_view text)
{
    // Text that looks like an encoded word would be decoded.
    if (isAscii(text) && text.find("=?") == std::string_view::npos) return folded(text, 9);
    constexpr std::size_t wordBytes = 39; // with the name of the header and the frame within a line
    std::string encoded;
    while (!text.empty())
    {
        auto word = firstBytes(text, wordBytes);
        if (word.empty()) word = text.substr(0, wordBytes); // no UTF-8: cut anywhere
        if (!encoded.empty()) encoded += "\r\n ";
        encoded += "=?UTF-8?B?" + toBase64(word) + "?=";
        text.remove_prefix(word.size());
    }
    return encoded;
}

std::string mailbox(std::string_view name, std::string_view address)
{
    if (name.empty()) return std::string(address);
    const bool plain = isAscii(name) && name.find("=?") == std::string_view::npos;
    return (plain ? quoted(name) : encodedHeader(name)) + "\r\n <" + std::string(address) + ">";
}

std::string folded(std::string_view value, std::size_t used)
{
    std::string lines;
    while (!value.empty())
    {
        // A line begins with a blank of the value, so that unfolding restores the value.
        const auto next = std::min(value.size(), value.find(' ', 1));
        if (used + next > lineLength && value.front() == ' ' && !lines.empty())
        {
            lines += "\r\n";
            used = 0;
        }
        lines += value.substr(0, next);
        used += next;
        value.remove_prefix(next);
    }
    return lines;
}

std::string fileNameParameter(std::string_view name)
{
    constexpr std::size_t longestPlain = 60;
    if (isAscii(name) && name.size() <= longestPlain) return ";\r\n filename=" + quoted(name);
    constexpr std::size_t longestPiece = 54;
    std::string parameters;
    std::string piece = "UTF-8''";
    int number = 0;
    const auto write = [&] { parameters += ";\r\n filename*" + std::to_string(number++) + "*=" + piece; };
    for (const char c : name)
    {
        constexpr std::string_view digits = "0123456789ABCDEF";
        if (piece.size() >= longestPiece)
        {
            write();
            piece.clear();
        }
        const auto byte = static_cast<unsigned char>(c);
        // Those need no percent (RFC 2231, attribute-char).
        if (hasOnly({&c, 1}, "!#$&+-.^_`{}~"))
            piece += c;
        else
            piece.append(1, '%').append(1, digits[byte >> 4U]).append(1, digits[byte & 0xFU]);
    }
    write();
    return parameters;
}

void appendWrappedBase64(std::string& out, std::string_view bytes)
{
    constexpr std::size_t bytesOfALine = lineLength / 4 * 3;
    constexpr std::size_t linesAtOnce = 1'024;
    out.reserve(out.size() + bytes.size() / bytesOfALine * (lineLength + 2) + lineLength + 2);
    while (!bytes.empty())
    {
        const auto encoded = toBase64(bytes.substr(0, bytesOfALine * linesAtOnce));
        for (std::size_t at = 0; at < encoded.size(); at += lineLength) out.append(encoded, at, lineLength).append("\r\n");
        bytes.remove_prefix(std::min(bytes.size(), bytesOfALine * linesAtOnce));
    }
}

std::string calendarMethod(std::string_view calendar)
{
    constexpr std::string_view property = "METHOD:";
    bool begun = false;
    while (!calendar.empty())
    {
        auto line = calendar.substr(0, calendar.find('\n'));
        calendar.remove_prefix(std::min(calendar.size(), line.size() + 1));
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (!begun && !equalsIgnoreCase(line, "BEGIN:VCALENDAR")) return {};
        begun = true;
        if (!equalsIgnoreCase(line.substr(0, property.size()), property)) continue;
        std::string method(line.substr(property.size()));
        std::transform(method.begin(), method.end(), method.begin(),
                       [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
        const bool isWord = std::all_of(method.begin(), method.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
        return isWord ? method : std::string();
    }
    return {};
}

std::string_view ownHeaderName(std::string_view name) noexcept
{
    constexpr std::array<std::string_view, 6> names = {"List-Unsubscribe", "List-Unsubscribe-Post", "List-Id", "In-Reply-To",
                                                       "References",       "Auto-Submitted"};
    const auto* const found =
        std::find_if(names.begin(), names.end(), [&](std::string_view known) { return equalsIgnoreCase(known, name); });
    return found == names.end() ? std::string_view() : *found;
}

std::string_view addressPart(std::string_view mailbox) noexcept
{
    const auto open = mailbox.rfind('<');
    if (open == std::string_view::npos || !mailbox.ends_with('>')) return mailbox;
    return mailbox.substr(open + 1, mailbox.size() - open - 2);
}

std::string_view senderOf(const OutgoingMail& mail) noexcept
{
    return mail.mail.fromAddress.empty() ? addressPart(mail.from) : std::string_view(mail.mail.fromAddress);
}

std::string messageIdOf(std::string_view id, std::string_view from)
{
    const auto address = addressPart(from);
    return "<" + std::string(id) + "@" + std::string(address.substr(address.find('@') + 1)) + ">";
}

std::string renderMail(const OutgoingMail& outgoing) { return MailWriter(outgoing).write(); }

} // namespace portico::host::platform
