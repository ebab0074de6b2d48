#pragma once

#include "host/platform/mail/MailMessage.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
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

/// Sends a mail to the next hop. Thread-safe. @throws std::exception on failure; the mail is retried later.
using MailTransport = std::function<void(const OutgoingMail& mail)>;
/// Writes the mail as a file that appears whole; sending it again replaces the file.
void writeMail(const std::filesystem::path& folder, const OutgoingMail& mail);
/// Sends the mail to the SMTP server, over a new connection.
void sendMail(const MailSettings& settings, const OutgoingMail& mail);

/// The transport that the settings ask for. @throws std::invalid_argument when `from` is no mailbox.
MailTransport makeMailTransport(const MailSettings& settings);

} // namespace portico::host::platform
