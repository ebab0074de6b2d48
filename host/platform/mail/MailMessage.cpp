#include "host/platform/mail/MailMessage.h"

#include "host/base/Digests.h"
#include "host/platform/mail/MailText.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <functional>

namespace portico::host::platform
{

namespace
{

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
        // The bodies are base 64, so no line of them can be the boundary; a letter tells those of one mail apart.
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
