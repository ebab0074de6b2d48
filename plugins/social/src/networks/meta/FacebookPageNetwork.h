#pragma once

#include "networks/approved/ApprovedNetwork.h"
#include "networks/meta/Graph.h"

namespace portico::social
{

/// A Facebook page. The user allows one page in the dialog, or names it by its number as `identifier` of the connect. Thread-safe.
class FacebookPageNetwork final : public ApprovedNetwork
{
public:
    explicit FacebookPageNetwork(const ApprovedParts& parts);

    AccountProfile finish(std::string_view keep, const ConnectReturn& back) override;
    AccountProfile check(const NetworkAccount& account) override;
    /// Tokens of pages do not expire.
    Refreshed refresh(const NetworkAccount&) override { return {}; }
    std::vector<PublicationFault> faults(const Publication& publication, const Credentials* account) const override;
    std::vector<FixedStep> prepare(const Publication& publication, const NetworkAccount& account, Instant now) override;
    StepOutcome perform(const StepCall& call) override;
    LookUp lookUp(const StepCall& call) override;
    bool canRemove() const noexcept override { return true; }
    StepOutcome remove(const NetworkAccount& account, const StepResult& published) override;
    std::optional<PostNumbers> numbers(const NetworkAccount& account, const StepResult& published) override;

private:
    StepOutcome upload(const StepCall& call) const;
    StepOutcome publish(const StepCall& call) const;

    const meta::Graph _graph;
    const meta::Graph _videos;
};

} // namespace portico::social
