#pragma once

#include "networks/approved/ApprovedNetwork.h"
#include "networks/meta/Graph.h"

namespace portico::social
{

/// Differences between Instagram and Threads. Static.
struct ContainerApi
{
    Platform platform;
    CodeFlowServer server;
    std::string_view graphUrl;
    /// Exchanges the token of the code flow for one of 60 days, and renews that.
    std::string_view exchangeUrl, exchangeGrant, refreshUrl, refreshGrant;
    /// Fields of `/me`.
    std::string_view profileFields;
    /// Paths below the account: for creating containers and listing posts, and for publishing a container.
    std::string_view posts, publish;
    /// Path of the account's quota of posts.
    std::string_view quota;
    std::string_view textField, statusField;
    /// Posts without files, and answers to them.
    bool hasTextPosts = false;
    std::vector<NetworkBudget> (*budgets)() = nullptr;
};

/// Instagram and Threads: the network fetches files from signed URLs into containers, prepares them, and publishes a container on
/// request. A container has a status, so that a lost response can be resolved. Thread-safe.
class ContainerNetwork final : public ApprovedNetwork
{
public:
    ContainerNetwork(const ContainerApi& api, const ApprovedParts& parts)
        : ApprovedNetwork(api.platform, parts, api.server), _api(api), _graph(parts.http, api.graphUrl)
    {
    }

    std::vector<NetworkBudget> budgets() const override { return _api.budgets(); }
    AccountProfile finish(std::string_view keep, const ConnectReturn& back) override;
    AccountProfile check(const NetworkAccount& account) override;
    Refreshed refresh(const NetworkAccount& account) override;
    std::vector<PublicationFault> faults(const Publication& publication, const Credentials* account) const override;
    PublicationPreview preview(const Publication& publication, const Credentials* account) const override;
    std::vector<FixedStep> prepare(const Publication& publication, const NetworkAccount& account, Instant now) override;
    StepOutcome perform(const StepCall& call) override;
    LookUp lookUp(const StepCall& call) override;
    std::optional<PostNumbers> numbers(const NetworkAccount& account, const StepResult& published) override;

private:
    AccountProfile profileOf(const Credentials& credentials) const;
    std::string sentText(const Publication& publication, std::size_t part) const;
    QueryFields fieldsOf(const PublishedFile& file) const;
    StepOutcome makeContainer(const StepCall& call) const;
    /// Returns why a container cannot be used yet; empty: it is ready.
    std::optional<StepOutcome> notReady(const StepCall& call, const std::string& container) const;
    /// Returns that the account has used its posts of a day; empty: it may publish.
    std::optional<StepOutcome> overQuota(const StepCall& call) const;
    StepOutcome publish(const StepCall& call) const;
    std::string linkTo(const NetworkAccount& account, const std::string& post) const;

    const ContainerApi& _api;
    const meta::Graph _graph;
};

extern const ContainerApi instagramApi, threadsApi;

} // namespace portico::social
