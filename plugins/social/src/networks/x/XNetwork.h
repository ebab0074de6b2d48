#pragma once

#include "networks/approved/ApprovedNetwork.h"

namespace portico::social
{

/// X by its API v2: posts and threads with up to four images or one video. Thread-safe.
class XNetwork final : public ApprovedNetwork
{
public:
    explicit XNetwork(const ApprovedParts& parts);

    AccountProfile finish(std::string_view keep, const ConnectReturn& back) override;
    AccountProfile check(const NetworkAccount& account) override;
    void revoke(const NetworkAccount& account) noexcept override;
    std::vector<FixedStep> prepare(const Publication& publication, const NetworkAccount& account, Instant now) override;
    PublicationPreview preview(const Publication& publication, const Credentials* account) const override;
    StepOutcome perform(const StepCall& call) override;
    LookUp lookUp(const StepCall& call) override;
    bool canRemove() const noexcept override { return true; }
    StepOutcome remove(const NetworkAccount& account, const StepResult& published) override;
    std::optional<PostNumbers> numbers(const NetworkAccount& account, const StepResult& published) override;

private:
    Exchanged get(std::string_view path, std::string_view token) const;
    Exchanged post(std::string_view path, std::string body, std::string_view token) const;
    AccountProfile profileOf(const Credentials& credentials) const;
    StepOutcome upload(const StepCall& call) const;
    /// Uploads in one request. @return the answer that names the file
    Exchanged uploadWhole(const StepCall& call, const FileBody& file) const;
    /// Uploads in pieces. @return the answer that names the file, or the first that failed
    Exchanged uploadPieces(const StepCall& call, const FileBody& file) const;
    std::optional<StepOutcome> notReady(const StepCall& call) const;
    StepOutcome publish(const StepCall& call) const;
};

} // namespace portico::social
