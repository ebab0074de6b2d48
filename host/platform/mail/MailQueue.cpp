#include "host/platform/mail/MailQueue.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace portico::host::platform
{

namespace
{

/// With the growing waits about four hours: a code or a link is of no use after that.
constexpr int mailAttempts = 12;

std::string memberText(const boost::json::object& object, std::string_view name) { return std::string(object.at(name).as_string()); }

} // namespace

std::string payloadOf(const Mail& mail)
{
    return boost::json::serialize(
        boost::json::object{{"to", mail.to}, {"subject", mail.subject}, {"text", mail.text}, {"html", mail.html}});
}

Mail mailFrom(std::string_view payload)
{
    const auto value = boost::json::parse(payload);
    const auto& members = value.as_object();
    return {memberText(members, "to"), memberText(members, "subject"), memberText(members, "text"), memberText(members, "html")};
}

void MailQueue::send(Session& session, const Mail& mail)
{
    checkMail(mail);
    NewJob job;
    job.type = mailJobType;
    job.payload = payloadOf(mail);
    job.maxAttempts = mailAttempts;
    _jobs.enqueue(session, job);
    _database.expectWork(session);
}

MailRunner::MailRunner(MailTransport& transport, std::string from, const Clock& clock)
    : _transport(transport), _from(std::move(from)), _clock(clock)
{
}

std::vector<std::string> MailRunner::types() const { return {std::string(mailJobType)}; }

RunResult MailRunner::run(const ClaimedJob& job, std::stop_token)
{
    _transport.deliver({job.id, _from, _clock.now(), mailFrom(job.payload)});
    return RunResult::Done;
}

} // namespace portico::host::platform
