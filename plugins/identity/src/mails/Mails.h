#pragma once

#include "portico/Mailer.h"
#include "portico/Plugin.h"
#include "portico/Templates.h"

#include <string>
#include <string_view>

namespace portico::identity
{

/// Whom a mail is for.
struct MailRecipient
{
    std::string address;
    /// For the greeting; may be empty.
    std::string name;
    /// The user's language: a tag of BCP 47.
    std::string locale;
};

template <class T>
class MailTemplate;

/// Sends identity's mails: text and HTML in the recipient's language, in the caller's transaction. Contents are
/// `web/templates/mail/<name>.txt`, whose first line is the subject, and `<name>.html`, both for one described record. Greeting, frame and
/// footer come from `mail/frame`. Texts are `mail.<name>.…` in `web/messages`. Thread-safe.
/// A room binds its mails in its constructor, `_reset(core.mails.bind<ResetMail>("password-reset"))`, and sends them by
/// `_reset.send(transaction, recipient, ResetMail{link})`.
class Mails
{
public:
    Mails(PluginContext& context, const Templates& templates);
    /// @throws std::runtime_error that lists missing members of the record; the plugin then fails to start
    template <class T>
    MailTemplate<T> bind(std::string_view name) const
    {
        const auto path = "mail/" + std::string(name);
        return MailTemplate<T>(*this, _templates.bind<T>(path + ".txt"), _templates.bind<T>(path + ".html"));
    }

private:
    template <class T>
    friend class MailTemplate;
    /// Layout data of every mail.
    struct Frame
    {
        std::string subject;
        std::string name;
        /// Rendered content, in text or HTML. Inserted unescaped.
        std::string content;
        /// Identity's origin.
        std::string site;

        friend constexpr auto schemaOf(const Frame*)
        {
            return describe(members<&Frame::subject, &Frame::name, &Frame::content, &Frame::site>());
        }
    };
    void send(Session& session, const MailRecipient& to, std::string_view text, std::string html) const;

    Mailer& _mailer;
    const std::string _site;
    const Templates& _templates;
    const Template<Frame> _textFrame;
    const Template<Frame> _htmlFrame;
};

/// Mail whose template was checked against its record. Must not outlive the Mails. Thread-safe.
template <class T>
class MailTemplate
{
public:
    /// Queues the mail: it is sent exactly if the transaction commits.
    void send(Session& session, const MailRecipient& to, const T& record) const
    {
        _mails->send(session, to, _text.render(record, to.locale), _html.render(record, to.locale));
    }

private:
    friend class Mails;
    MailTemplate(const Mails& mails, Template<T> text, Template<T> html) : _mails(&mails), _text(std::move(text)), _html(std::move(html)) {}

    const Mails* _mails;
    Template<T> _text;
    Template<T> _html;
};

} // namespace portico::identity
