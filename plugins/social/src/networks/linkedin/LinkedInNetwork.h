#pragma once

#include "networks/approved/ApprovedNetwork.h"

namespace portico::social
{

/// LinkedIn by its Posts API, as a member, or as an organization whose number is the `identifier` of the connect request. Thread-safe.
class LinkedInNetwork final : public ApprovedNetwork
{
public:
    explicit LinkedInNetwork(const ApprovedParts& parts);

    std::vector<NetworkBudget> budgets() const override { return {{"linkedin-day", 150, std::chrono::hours(24)}}; }
    AccountProfile finish(std::string_view keep, const ConnectReturn& back) override;
    AccountProfile check(const NetworkAccount& account) override;
    std::vector<PublicationFault> faults(const Publication& publication, const Credentials* account) const override;
    std::vector<FixedStep> prepare(const Publication& publication, const NetworkAccount& account, Instant now) override;
    StepOutcome perform(const StepCall& call) override;
    LookUp lookUp(const StepCall& call) override;
    bool canRemove() const noexcept override { return true; }
    StepOutcome remove(const NetworkAccount& account, const StepResult& published) override;
    std::optional<PostNumbers> numbers(const NetworkAccount& account, const StepResult& published) override;

private:
    HttpClient::Request request(std::string_view method, std::string_view path, std::string_view token) const;
    Exchanged get(std::string_view path, std::string_view token) const { return exchange(_parts.http, request("GET", path, token)); }
    Exchanged post(std::string_view path, std::string body, std::string_view token) const;
    AccountProfile profileOf(const std::string& author, const Credentials& credentials) const;
    std::string titleOf(const std::string& url) const;
    StepOutcome upload(const StepCall& call) const;
    StepOutcome uploadImage(const StepCall& call, const FileBody& file) const;
    StepOutcome uploadVideo(const StepCall& call, const FileBody& file) const;
    /// Returns why the post cannot be made yet; empty: its video is ready.
    std::optional<StepOutcome> notReady(const StepCall& call) const;
    StepOutcome publish(const StepCall& call) const;
};

} // namespace portico::social
