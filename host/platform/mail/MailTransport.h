#pragma once

#include "host/platform/mail/MailMessage.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace portico::host::platform
{

enum class MailSecurity : std::uint8_t
{
    None,
    StartTls, ///< refused servers that do not offer it
    Tls       ///< from the first byte, usually port 465
};

struct MailSettings
{
    /// `Portico <noreply@example.org>`.
    std::string from = "Portico <noreply@localhost>";
    /// Addresses, and domains as `@example.org`, that services may send from instead.
    std::vector<std::string> senders;
    /// Without a server mails become files in `folder`.
    std::string server;
    std::uint16_t port = 587;
    MailSecurity security = MailSecurity::StartTls;
    std::string user;
    /// First line of the file.
    std::filesystem::path passwordFile;
    /// File or folder of certificates to trust beside those of the system; empty: none.
    std::string certificateAuthorities;
    std::chrono::milliseconds timeout{30'000};
    /// A maildir: `tmp` and `new`, one file a mail.
    std::filesystem::path folder;
};

/// Takes mails out of the house. Thread-safe.
class MailTransport
{
public:
    virtual ~MailTransport() = default;
    /// Returns when the next hop has taken the mail. @throws std::exception otherwise: it is tried again later.
    virtual void deliver(const OutgoingMail& mail) = 0;
};

/// Writes mails as files that appear whole; sending one again replaces its file.
class FileMailTransport final : public MailTransport
{
public:
    explicit FileMailTransport(std::filesystem::path folder) : _folder(std::move(folder)) {}
    void deliver(const OutgoingMail& mail) override;

private:
    const std::filesystem::path _folder;
};

/// Hands mails to an SMTP server, a connection each.
class SmtpMailTransport final : public MailTransport
{
public:
    explicit SmtpMailTransport(MailSettings settings) : _settings(std::move(settings)) {}
    void deliver(const OutgoingMail& mail) override;

private:
    const MailSettings _settings;
};

/// The transport that the settings ask for. @throws std::invalid_argument when `from` is no mailbox.
std::unique_ptr<MailTransport> makeMailTransport(const MailSettings& settings);

} // namespace portico::host::platform
