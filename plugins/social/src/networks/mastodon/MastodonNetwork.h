#pragma once

#include "networks/Network.h"
#include "networks/mastodon/MastodonApplications.h"

#include "portico/Blobs.h"
#include "portico/HttpClient.h"

namespace portico::social
{

/// Mastodon by its code flow. The server keeps an idempotency key for an hour: after 55 minutes the account's newest statuses are looked
/// at before a status is sent again. Thread-safe.
class MastodonNetwork final : public Network
{
public:
    /// @param plainHttp the callback address is plain http on this machine, so that the network is for trials only
    MastodonNetwork(HttpClient& http, Blobs& blobs, const Clock& clock, mastodon::Applications applications, bool plainHttp)
        : _http(http), _blobs(blobs), _clock(clock), _applications(std::move(applications)), _plainHttp(plainHttp)
    {
    }

    Platform platform() const noexcept override { return Platform::Mastodon; }
    ConnectKind connectKind() const noexcept override { return ConnectKind::CodeFlow; }
    NetworkLimits limits(const Credentials* account) const override;
    std::vector<NetworkBudget> budgets() const override { return {{"mastodon-requests", 300, std::chrono::minutes(5)}}; }
    std::vector<ReadinessReason> trialReasons() const override;
    /// Uses `instanceUrl`.
    ConnectStart connect(const ConnectRequest& request) override;
    AccountProfile finish(std::string_view keep, const ConnectReturn& back) override;
    AccountProfile check(const NetworkAccount& account) override;
    void revoke(const NetworkAccount& account) noexcept override;
    std::vector<PublicationFault> faults(const Publication& publication, const Credentials* account) const override;
    PublicationPreview preview(const Publication& publication, const Credentials* account) const override;
    std::vector<FixedStep> prepare(const Publication& publication, const NetworkAccount& account, Instant now) override;
    StepOutcome perform(const StepCall& call) override;
    Repetition repetition() const noexcept override { return Repetition::ForAWhile; }
    std::chrono::seconds repeatsFor() const noexcept override { return std::chrono::minutes(55); }
    LookUp lookUp(const StepCall& call) override;
    bool canRemove() const noexcept override { return true; }
    StepOutcome remove(const NetworkAccount& account, const StepResult& published) override;
    std::optional<PostNumbers> numbers(const NetworkAccount& account, const StepResult& published) override;

private:
    StepOutcome upload(const StepCall& call);
    StepOutcome post(const StepCall& call);
    /// Returns why the status cannot be sent yet; empty: its files are ready.
    std::optional<StepOutcome> notReady(const StepCall& call);
    AccountProfile profileOf(const std::string& serverUrl, const Credentials& credentials);

    HttpClient& _http;
    Blobs& _blobs;
    const Clock& _clock;
    const mastodon::Applications _applications;
    const bool _plainHttp;
};

} // namespace portico::social
