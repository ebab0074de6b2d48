#pragma once

#include "host/platform/jobs/JobRunner.h"
#include "host/platform/jobs/SignallingDatabase.h"
#include "host/platform/mail/MailTransport.h"

#include "portico/Clock.h"
#include "portico/Mailer.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::host::platform
{

/// Type of the jobs that send a mail.
inline constexpr std::string_view mailJobType = "portico.mail";

/// A mail as the payload of its job, and back.
std::string payloadOf(const Mail& mail);
Mail mailFrom(std::string_view payload);

/// What a plugin sees as `Mailer`: a job in the transaction. Thread-safe.
class MailQueue final : public Mailer
{
public:
    MailQueue(SignallingDatabase& database, JobStore& jobs) : _database(database), _jobs(jobs) {}
    void send(Session& session, const Mail& mail) override;

private:
    SignallingDatabase& _database;
    JobStore& _jobs;
};

/// Sends queued mails.
class MailRunner final : public JobRunner
{
public:
    MailRunner(MailTransport& transport, std::string from, const Clock& clock);
    std::vector<std::string> types() const override;
    RunResult run(const ClaimedJob& job, std::stop_token stop) override;

private:
    MailTransport& _transport;
    const std::string _from;
    const Clock& _clock;
};

} // namespace portico::host::platform
