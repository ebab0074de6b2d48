#include "host/platform/mail/MailQueue.h"

#include "host/base/Digests.h"

#include "portico/Jobs.h"

#include <boost/describe/class.hpp>
#include <boost/json.hpp>

#include <cerrno>
#include <system_error>

#include <unistd.h>

namespace portico
{

BOOST_DESCRIBE_STRUCT(MailAttachment, (), (fileName, mediaType, bytes, blobKey, contentId))
BOOST_DESCRIBE_STRUCT(Mail, (), (to, subject, text, html, toName, fromName, fromAddress, replyTo, attachments, calendar, headers))

} // namespace portico

namespace portico::host::platform
{

namespace
{

namespace json = boost::json;

/// With the growing waits about four hours: a code or a link is of no use after that.
constexpr int mailAttempts = 12;

/// Bytes are text in JSON.
Mail withBytes(Mail mail, std::string (*coded)(std::string_view))
{
    for (auto& file : mail.attachments) file.bytes = coded(file.bytes);
    return mail;
}

/// With what is missing in `given`: mails of an earlier version have fewer members.
template <class Record>
json::value completed(const json::value& given)
{
    auto members = json::value_from(Record{});
    for (const auto& [name, value] : given.as_object())
        if (auto* known = members.as_object().if_contains(name)) *known = value;
    return members;
}

/// Returns the bytes of a blob. @throws JobFailed if it was removed or is too large
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

std::string payloadOf(const Mail& mail) { return json::serialize(json::value_from(withBytes(mail, &toBase64))); }

Mail mailFrom(std::string_view payload)
{
    auto mail = completed<Mail>(json::parse(payload));
    for (auto& file : mail.at("attachments").as_array()) file = completed<MailAttachment>(file);
    return withBytes(json::value_to<Mail>(mail), &fromBase64);
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
    auto room = maxAttachedBytes;
    for (auto& file : outgoing.mail.attachments)
    {
        if (!file.blobKey.empty()) file.bytes = readBlob(_blobs(), file.blobKey, room);
        if (file.bytes.size() > room) throw JobFailed("the attachments are larger than 10 MiB");
        room -= file.bytes.size();
    }
    _transport(outgoing);
    return RunResult::Done;
}

} // namespace portico::host::platform
