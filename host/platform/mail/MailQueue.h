#pragma once

#include "host/platform/jobs/JobRunner.h"
#include "host/platform/jobs/SignallingDatabase.h"
#include "host/platform/mail/MailTransport.h"

#include "portico/Blobs.h"
#include "portico/Clock.h"
#include "portico/Mailer.h"

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::host::platform
{

/// Type of the jobs that send a mail.
inline constexpr std::string_view mailJobType = "portico.mail";

/// A mail as the payload of its job, and back.
std::string payloadOf(const Mail& mail);
Mail mailFrom(std::string_view payload);

/// Queues a mail that was checked; its Message-ID. @param from the operator's sender
std::string queueMail(const JobStore& jobs, Session& session, const Mail& mail, std::string_view from);

/// A plugin's view of `Mailer`: it enqueues a job in the transaction. Thread-safe.
class MailQueue final : public Mailer
{
public:
    MailQueue(SignallingDatabase& database, JobStore& jobs, const MailSettings& settings)
        : _database(database), _jobs(jobs), _settings(settings)
    {
    }
    std::string send(Session& session, const Mail& mail) override;

private:
    SignallingDatabase& _database;
    JobStore& _jobs;
    const MailSettings& _settings;
};

/// Sends queued mails.
class MailRunner final : public JobRunner
{
public:
    /// @param blobs those of the service, asked for when a mail has one attached.
    MailRunner(const MailTransport& transport, std::string from, std::function<Blobs&()> blobs, const Clock& clock)
        : _transport(transport), _from(std::move(from)), _blobs(std::move(blobs)), _clock(clock)
    {
    }
    std::vector<std::string> types() const override;
    RunResult run(const ClaimedJob& job, std::stop_token stop) override;

private:
    const MailTransport& _transport;
    const std::string _from;
    const std::function<Blobs&()> _blobs;
    const Clock& _clock;
};

} // namespace portico::host::platform
