#pragma once

#include "links/LinkPage.h"
#include "networks/Network.h"
#include "networks/bluesky/BlueskyServer.h"
#include "networks/bluesky/BlueskySignIn.h"
#include "text/RichText.h"

#include "portico/Blobs.h"
#include "portico/Clock.h"
#include "portico/HttpClient.h"

namespace portico::social
{

/// Bluesky by app password, or by OAuth if this server uses https. Posts are written by `putRecord` under a record key that is fixed before
/// the first attempt, so that a repetition is idempotent. Links are displayed shortened; their facets contain the whole URL. Thread-safe.
class BlueskyNetwork final : public Network
{
public:
    BlueskyNetwork(HttpClient& http, Blobs& blobs, const Clock& clock, bluesky::Directories directories, bluesky::Client client)
        : _http(http), _blobs(blobs), _clock(clock), _directories(std::move(directories)), _client(std::move(client)), _proofs(clock)
    {
    }

    Platform platform() const noexcept override { return Platform::Bluesky; }
    ConnectKind connectKind() const noexcept override { return ConnectKind::AppPassword; }
    NetworkLimits limits(const Credentials* account) const override;
    std::vector<NetworkBudget> budgets() const override
    {
        return {{"bluesky-hour", 5'000, std::chrono::hours(1), 3}, {"bluesky-day", 35'000, std::chrono::hours(24), 3}};
    }
    /// Uses `identifier` and `appPassword`. `instanceUrl` names the server; otherwise it is looked up. Without a password the user signs in
    /// at that server.
    ConnectStart connect(const ConnectRequest& request) override;
    AccountProfile finish(std::string_view keep, const ConnectReturn& back) override;
    AccountProfile check(const NetworkAccount& account) override;
    Refreshed refresh(const NetworkAccount& account) override;
    void revoke(const NetworkAccount& account) noexcept override;
    std::vector<PublicationFault> faults(const Publication& publication, const Credentials* account) const override;
    PublicationPreview preview(const Publication& publication, const Credentials* account) const override;
    std::vector<FixedStep> prepare(const Publication& publication, const NetworkAccount& account, Instant now) override;
    StepOutcome perform(const StepCall& call) override;
    Repetition repetition() const noexcept override { return Repetition::Always; }
    LookUp lookUp(const StepCall& call) override;
    bool canRemove() const noexcept override { return true; }
    StepOutcome remove(const NetworkAccount& account, const StepResult& published) override;
    std::optional<PostNumbers> numbers(const NetworkAccount& account, const StepResult& published) override;

private:
    bluesky::Server serverOf(const NetworkAccount& account);
    bluesky::SignIn signIn();
    StepOutcome upload(const StepCall& call);
    StepOutcome uploadThumb(const StepCall& call);
    LinkPage pageOf(std::string_view url) const;
    StepOutcome put(const StepCall& call);
    std::vector<bluesky::Facet> facetsOf(const RichText& rich, const bluesky::Server& server) const;

    HttpClient& _http;
    Blobs& _blobs;
    const Clock& _clock;
    const bluesky::Directories _directories;
    const bluesky::Client _client;
    bluesky::Proofs _proofs;
};

} // namespace portico::social
