#pragma once

#include "host/platform/events/EventRouter.h"
#include "host/platform/events/Outbox.h"
#include "host/platform/jobs/JobRunner.h"

#include "portico/Clock.h"
#include "portico/HttpClient.h"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::platform
{

/// Value of `webhook-signature` (Standard Webhooks): `v1,<base64 of HMAC-SHA256 over "id.timestamp.body">` for each secret, separated by
/// spaces. A secret of the form `whsec_<base64>` stands for the decoded bytes, any other for itself.
std::string webhookSignature(const std::vector<std::string>& secrets, std::string_view id, std::int64_t timestamp, std::string_view body);
/// `{"type":…,"timestamp":…,"data":…}`: the same text at every try.
std::string webhookBody(const Event& event);

/// Sends events of one service to webhook endpoints. Where to and with which secrets is asked of the registry at each try, so that no
/// secret stands in a job and a changed or deleted endpoint counts at once.
class WebhookRunner final : public JobRunner
{
public:
    WebhookRunner(const Outbox& outbox, JobStore& jobs, const EventRouter& router, const WebhookDirectory& directory, HttpClient& http,
                  const Clock& clock);

    std::vector<std::string> types() const override;
    RunResult run(const ClaimedJob& job, std::stop_token stop) override;
    /// Seven waits that with the first try make eight over a day.
    std::chrono::milliseconds retryDelay(int attempt) const override;

private:
    RunResult expand(const Event& event);
    void send(const interfaces::WebhookEndpoint& endpoint, const Event& event);

    const Outbox& _outbox;
    JobStore& _jobs;
    const EventRouter& _router;
    const WebhookDirectory& _directory;
    HttpClient& _http;
    const Clock& _clock;
};

} // namespace portico::host::platform
