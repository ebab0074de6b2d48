#include "host/platform/mail/MailTransport.h"

#include "host/base/DurableFiles.h"
#include "host/base/FileDescriptor.h"
#include "host/base/ReadFiles.h"
#include "host/platform/outbound/GuardedHttpClient.h"

#include <Poco/MemoryStream.h>
#include <Poco/Net/SecureSMTPClientSession.h>
#include <Poco/Net/SecureStreamSocket.h>
#include <Poco/Net/SocketAddress.h>
#include <Poco/Net/StreamSocket.h>

#include <stdexcept>

namespace portico::host::platform
{

namespace
{

using Poco::Net::SecureSMTPClientSession;

std::unique_ptr<SecureSMTPClientSession> connectTo(const MailSettings& settings)
{
    const Poco::Timespan timeout(settings.timeout.count() * Poco::Timespan::MILLISECONDS);
    std::unique_ptr<SecureSMTPClientSession> session;
    if (settings.security == MailSecurity::Tls)
    {
        Poco::Net::StreamSocket socket;
        socket.connect(Poco::Net::SocketAddress(settings.server, settings.port), timeout);
        socket = Poco::Net::SecureStreamSocket::attach(socket, settings.server, tlsClientContext(settings.certificateAuthorities));
        session = std::make_unique<SecureSMTPClientSession>(socket);
    }
    else
        session = std::make_unique<SecureSMTPClientSession>(settings.server, settings.port); // knows the name that STARTTLS checks
    session->setTimeout(timeout);
    return session;
}

void logIn(SecureSMTPClientSession& session, const MailSettings& settings)
{
    session.login("localhost");
    if (settings.security == MailSecurity::StartTls && !session.startTLS(tlsClientContext(settings.certificateAuthorities)))
        throw std::runtime_error("mail: " + settings.server +
                                 " offers no STARTTLS; set mail.security to none only for a server on this machine");
    if (settings.user.empty()) return;
    const auto password = firstLineOf(settings.passwordFile);
    if (!password) throw std::runtime_error("mail: the password file " + settings.passwordFile.string() + " cannot be read or is empty");
    session.login("localhost", Poco::Net::SMTPClientSession::AUTH_PLAIN, settings.user, *password);
}

} // namespace

void writeMail(const std::filesystem::path& folder, const OutgoingMail& mail)
{
    makeDirectories(folder / "tmp");
    makeDirectories(folder / "new");
    const auto name = mail.id + ".eml";
    const auto unfinished = folder / "tmp" / name;
    std::filesystem::remove(unfinished); // of a try that was cut short
    const auto file = FileDescriptor::createNew(unfinished);
    const auto text = renderMail(mail);
    file.writeAll(text, unfinished);
    file.sync(unfinished);
    renameDurably(unfinished, folder / "new" / name);
}

void sendMail(const MailSettings& settings, const OutgoingMail& mail)
{
    const auto session = connectTo(settings);
    logIn(*session, settings);
    session->sendAddresses(std::string(senderOf(mail)), {mail.mail.to});
    session->sendData();
    const auto text = renderMail(mail);
    Poco::MemoryInputStream message(text.data(), static_cast<std::streamsize>(text.size()));
    session->sendMessage(message);
    // The server has accepted the mail. The session's destructor sends QUIT and ignores a failure, so that the mail is not sent again.
}

MailTransport makeMailTransport(const MailSettings& settings)
{
    if (!isMailAddress(addressPart(settings.from)) || settings.from.find_first_of("\r\n") != std::string::npos)
        throw std::invalid_argument("mail.from: expected an address like noreply@example.org or \"Name <noreply@example.org>\", found \"" +
                                    settings.from + "\"");
    if (settings.server.empty()) return [folder = settings.folder](const OutgoingMail& mail) { writeMail(folder, mail); };
    return [settings](const OutgoingMail& mail) { sendMail(settings, mail); };
}

} // namespace portico::host::platform
