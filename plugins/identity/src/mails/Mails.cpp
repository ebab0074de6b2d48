#include "mails/Mails.h"

#include "portico/Text.h"

#include <cctype>

namespace portico::identity
{

namespace
{

/// Maximum length of a Mail's subject.
constexpr std::size_t longestSubject = 400;
constexpr std::size_t longestName = 200;

/// Returns true if a name contains a domain or URL, which mail programs turn into a link. Such names are not used in greetings, because
/// senders could misuse them.
bool looksLikeAnAddress(std::string_view name)
{
    if (name.find_first_of("/@") != std::string_view::npos) return true;
    const auto isLetter = [&](std::size_t at) { return at < name.size() && std::isalnum(static_cast<unsigned char>(name[at])) != 0; };
    for (auto dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', dot + 1))
        if (dot > 0 && isLetter(dot - 1) && isLetter(dot + 1) && isLetter(dot + 2)) return true;
    return false;
}

/// Returns a text on one line, truncated to `bytes`.
std::string oneLine(std::string_view text, std::size_t bytes)
{
    auto line = cleanText(trim(text), bytes);
    for (auto characters = characterCount(line); line.size() > bytes; line = firstCharacters(line, characters)) --characters;
    return line;
}

} // namespace

Mails::Mails(PluginContext& context, const Templates& templates)
    : _mailer(context.mailer()),
      _site(context.host().origin),
      _templates(templates),
      _textFrame(templates.bind<Frame>("mail/frame.txt")),
      _htmlFrame(templates.bind<Frame>("mail/frame.html"))
{
}

void Mails::send(Session& session, const MailRecipient& to, std::string_view text, std::string html) const
{
    const auto end = text.find('\n');
    const auto name = looksLikeAnAddress(to.name) ? std::string() : to.name;
    Frame frame{oneLine(text.substr(0, end), longestSubject), name,
                std::string(trim(end == std::string_view::npos ? std::string_view() : text.substr(end))), _site};
    Mail mail;
    mail.to = to.address;
    mail.toName = oneLine(name, longestName);
    mail.subject = frame.subject;
    mail.text = _textFrame.render(frame, to.locale);
    frame.content = std::move(html);
    mail.html = _htmlFrame.render(frame, to.locale);
    _mailer.send(session, mail);
}

} // namespace portico::identity
