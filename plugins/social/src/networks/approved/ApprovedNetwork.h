#pragma once

#include "networks/ListedLimits.h"
#include "networks/approved/CodeFlow.h"

#include "portico/Blobs.h"
#include "portico/Config.h"

namespace portico::social
{

/// Collaborators of networks with a manually registered application. All must outlive it.
struct ApprovedParts
{
    HttpClient& http;
    Blobs& blobs;
    const Clock& clock;
    const Config& config;
    /// The callback address is plain http on this machine.
    bool plainHttp = false;
};

/// A network that publishes for applications that it has approved: `setup-required` until the operator has set the application's id and
/// secret. None of them knows idempotent writes. Thread-safe.
class ApprovedNetwork : public Network
{
public:
    Platform platform() const noexcept final { return _platform; }
    ConnectKind connectKind() const noexcept final { return ConnectKind::CodeFlow; }
    NetworkLimits limits(const Credentials*) const override { return listedLimits(_platform); }
    std::vector<ReadinessReason> missing() const final;
    std::vector<ReadinessReason> trialReasons() const final;
    /// @throws ConnectFault without the application's id and secret
    ConnectStart connect(const ConnectRequest& request) final;
    Refreshed refresh(const NetworkAccount& account) override { return flow().refresh(account.credentials); }
    Repetition repetition() const noexcept final { return Repetition::Never; }

protected:
    ApprovedNetwork(Platform platform, const ApprovedParts& parts, const CodeFlowServer& server)
        : _parts(parts), _platform(platform), _server(server)
    {
    }

    std::string clientId() const { return setting("clientId"); }
    std::string clientSecret() const;
    CodeFlow flow() const { return {_parts.http, _parts.clock, _server, clientId(), clientSecret()}; }
    /// A publication that has more parts than one, for a network without threads.
    static void refuseThread(const Publication& publication, std::vector<PublicationFault>& faults);
    /// The text of a part, with the link of the post where it is not in the text yet.
    static std::string textWithLink(const Publication& publication, std::size_t part);
    /// @throws ConnectFault when a check found another account than the one that was connected
    static void requireSame(const NetworkAccount& account, const AccountProfile& found);

    const ApprovedParts _parts;

private:
    std::string setting(std::string_view name) const;

    const Platform _platform;
    const CodeFlowServer& _server;
};

/// Turns the outcome of a step that readers do not see into one that may be carried out twice.
StepOutcome repeatable(StepOutcome outcome);
/// Outcome for a file that the network is still preparing: retry after `interval`. After `longest` each wait uses an attempt.
StepOutcome stillPreparing(const StepCall& call, std::chrono::seconds interval, std::chrono::seconds longest);
/// Result of a look-up whose list of posts does not contain the post: `Absent` if the list is complete or has a post older than the step's
/// first attempt, else `Unknown`.
LookUp notListed(bool reachesBack);
/// Reads a piece of a blob. @throws std::runtime_error
std::string readPiece(const FileBody& file, std::uint64_t begin, std::uint64_t size);

} // namespace portico::social
