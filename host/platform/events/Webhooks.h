#pragma once

#include "host/platform/events/EventRouter.h"
#include "host/platform/events/Outbox.h"
#include "host/platform/events/SignedPost.h"
#include "host/platform/jobs/JobRunner.h"

#include "portico/Clock.h"
#include "portico/HttpClient.h"

#include <chrono>
#include <string>
#include <vector>

namespace portico::host::platform
{

/// Sends events of one service to webhook endpoints. Where to and with which secrets is asked of the registry at each try, so that no
/// secret stands in a job and a changed or deleted endpoint counts at once.
class WebhookRunner final : public JobRunner
{
public:
    WebhookRunner(const Outbox& outbox, JobStore& jobs, const EventRouter& router, const WebhookDirectory& directory, HttpClient& http,
                  const Clock& clock);

    std::vector<std::string> types() const override;
    RunResult run(const ClaimedJob& job, std::stop_token stop) override;
    std::chrono::milliseconds retryDelay(const ClaimedJob& job) const override;

private:
    RunResult expand(const Event& event);

    const Outbox& _outbox;
    JobStore& _jobs;
    const EventRouter& _router;
    const WebhookDirectory& _directory;
    const SignedPost _post;
};

} // namespace portico::host::platform
