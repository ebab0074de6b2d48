#include "host/platform/mail/MailQueue.h"

#include "host/base/Digests.h"

#include "portico/Jobs.h"
#include "portico/Problem.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <cerrno>
#include <system_error>

#include <unistd.h>

namespace portico::host::platform
{

namespace
{

namespace json = boost::json;

/// With the growing waits about four hours: a code or a link is of no use after that.
constexpr int mailAttempts = 12;

/// Empty where it is not: mails of an earlier version have fewer members.
std::string memberText(const json::object& object, std::string_view name)
{
    const auto* found = object.if_contains(name);
    return found == nullptr ? std::string() : std::string(found->as_string());
}

json::object toJson(const MailAttachment& file)
{
    return {{"fileName", file.fileName},
            {"mediaType", file.mediaType},
            {"bytes", toBase64(file.bytes)},
            {"blobKey", file.blobKey},
            {"contentId", file.contentId}};
}

MailAttachment attachmentFrom(const json::object& file)
{
    return {memberText(file, "fileName"), memberText(file, "mediaType"), fromBase64(memberText(file, "bytes")), memberText(file, "blobKey"),
            memberText(file, "contentId")};
}

/// The bytes of a blob. @throws JobFailed when it is gone or too large
std::string readBlob(Blobs& blobs, const std::string& key, std::size_t most)
{
    const auto file = blobs.open(key);
    if (!file) throw JobFailed("the blob " + key + " of an attachment is gone");
    if (file->size > most) throw JobFailed("the attachments are larger than 10 MiB");
    std::string bytes(static_cast<std::size_t>(file->size), '\0');
    for (std::size_t read = 0; read < bytes.size();)
    {
        const auto count = ::pread(file->descriptor, bytes.data() + read, bytes.size() - read, static_cast<off_t>(read));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) throw std::system_error(count < 0 ? errno : EIO, std::generic_category(), "read the blob " + key);
        read += static_cast<std::size_t>(count);
    }
    return bytes;
}

} // namespace

std::string payloadOf(const Mail& mail)
{
    json::array attachments;
    for (const auto& file : mail.attachments) attachments.push_back(toJson(file));
    json::array headers;
    for (const auto& [name, value] : mail.headers) headers.push_back(json::array{name, value});
    return json::serialize(json::object{{"to", mail.to},
                                        {"subject", mail.subject},
                                        {"text", mail.text},
                                        {"html", mail.html},
                                        {"toName", mail.toName},
                                        {"fromName", mail.fromName},
                                        {"fromAddress", mail.fromAddress},
                                        {"replyTo", mail.replyTo},
                                        {"attachments", std::move(attachments)},
                                        {"calendar", mail.calendar},
                                        {"headers", std::move(headers)}});
}

Mail mailFrom(std::string_view payload)
{
    const auto value = json::parse(payload);
    const auto& members = value.as_object();
    Mail mail{memberText(members, "to"), memberText(members, "subject"), memberText(members, "text"), memberText(members, "html")};
    mail.toName = memberText(members, "toName");
    mail.fromName = memberText(members, "fromName");
    mail.fromAddress = memberText(members, "fromAddress");
    mail.replyTo = memberText(members, "replyTo");
    mail.calendar = memberText(members, "calendar");
    if (const auto* files = members.if_contains("attachments"))
        for (const auto& file : files->as_array()) mail.attachments.push_back(attachmentFrom(file.as_object()));
    if (const auto* headers = members.if_contains("headers"))
        for (const auto& header : headers->as_array())
            mail.headers.emplace_back(header.as_array().at(0).as_string(), header.as_array().at(1).as_string());
    return mail;
}

std::string queueMail(const JobStore& jobs, Session& session, const Mail& mail, std::string_view from)
{
    NewJob job;
    job.id = jobs.newId();
    job.type = mailJobType;
    job.payload = payloadOf(mail);
    job.maxAttempts = mailAttempts;
    jobs.enqueue(session, job);
    return messageIdOf(job.id, from);
}

std::string MailQueue::send(Session& session, const Mail& mail)
{
    checkMail(mail, _settings.senders);
    auto id = queueMail(_jobs, session, mail, _settings.from);
    _database.expectWork(session);
    return id;
}

std::vector<std::string> MailRunner::types() const { return {std::string(mailJobType)}; }

RunResult MailRunner::run(const ClaimedJob& job, std::stop_token)
{
    OutgoingMail outgoing{job.id, _from, _clock.now(), mailFrom(job.payload)};
    auto room = mostAttachedBytes;
    for (auto& file : outgoing.mail.attachments)
    {
        if (!file.blobKey.empty()) file.bytes = readBlob(_blobs(), file.blobKey, room);
        if (file.bytes.size() > room) throw JobFailed("the attachments are larger than 10 MiB");
        room -= file.bytes.size();
    }
    _transport.deliver(outgoing);
    return RunResult::Done;
}

} // namespace portico::host::platform
