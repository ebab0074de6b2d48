#pragma once

#include "networks/Network.h"

#include "portico/Clock.h"
#include "portico/HttpClient.h"

namespace portico::social
{

/// A URL that receives posts as signed JSON (Standard Webhooks). The whole thread is one message; `webhook-id` is `<contentId>-<revision>`
/// at every attempt. 2xx means published, and `{id, url}` of the response is stored. Thread-safe.
class WebhookNetwork final : public Network
{
public:
    WebhookNetwork(HttpClient& http, const Clock& clock) : _http(http), _clock(clock) {}

    Platform platform() const noexcept override { return Platform::Webhook; }
    ConnectKind connectKind() const noexcept override { return ConnectKind::Url; }
    NetworkLimits limits(const Credentials* account) const override;
    /// Uses `url` and `secret`; generates a missing secret.
    ConnectStart connect(const ConnectRequest& request) override;
    /// Sends a signed `social.ping`.
    AccountProfile check(const NetworkAccount& account) override;
    std::vector<FixedStep> prepare(const Publication& publication, const NetworkAccount& account, Instant now) override;
    StepOutcome perform(const StepCall& call) override;
    Repetition repetition() const noexcept override { return Repetition::Always; }
    bool recognizesRevisions() const noexcept override { return true; }

private:
    HttpClient& _http;
    const Clock& _clock;
};

} // namespace portico::social
