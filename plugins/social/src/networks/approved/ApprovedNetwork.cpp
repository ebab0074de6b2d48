#include "networks/approved/ApprovedNetwork.h"

#include "portico/Text.h"

#include <stdexcept>
#include <unistd.h>

namespace portico::social
{

std::string ApprovedNetwork::setting(std::string_view name) const
{
    return _parts.config.find("social." + std::string(toString(_platform)) + "." + std::string(name)).value_or("");
}

std::string ApprovedNetwork::clientSecret() const
{
    return _parts.config.secret("social." + std::string(toString(_platform)) + ".clientSecretFile");
}

std::vector<ReadinessReason> ApprovedNetwork::missing() const
{
    std::vector<ReadinessReason> reasons;
    const std::string prefix = "social." + std::string(toString(_platform)) + ".";
    for (const std::string_view name : {"clientId", "clientSecretFile"})
        if (const auto key = prefix + std::string(name); setting(name).empty())
            reasons.push_back({"setting_missing", "The operator has not set " + key + ".", key});
    return reasons;
}

std::vector<ReadinessReason> ApprovedNetwork::trialReasons() const
{
    if (!_parts.plainHttp) return {};
    return {{"local_callback", "The network redirects browsers to plain http on this machine. Use this for trials only.", {}}};
}

ConnectStart ApprovedNetwork::connect(const ConnectRequest& request)
{
    if (!missing().empty()) return Network::connect(request);
    return flow().start(request);
}

void ApprovedNetwork::refuseThread(const Publication& publication, std::vector<PublicationFault>& faults)
{
    if (publication.parts.size() > 1)
        faults.push_back({1, "text", "thread_not_supported", "The network does not support threads. Write a single post."});
}

std::string ApprovedNetwork::textWithLink(const Publication& publication, std::size_t part)
{
    const auto& text = publication.parts[part].text;
    if (part > 0 || publication.linkUrl.empty() || text.find(publication.linkUrl) != std::string::npos) return text;
    return text + (text.empty() ? "" : "\n\n") + publication.linkUrl;
}

void ApprovedNetwork::requireSame(const NetworkAccount& account, const AccountProfile& found)
{
    if (found.externalId != account.externalId)
        throw ConnectFault(ConnectFault::Kind::Refused, "", "other_account", "The token belongs to another account.");
}

StepOutcome repeatable(StepOutcome outcome)
{
    if (outcome.kind == StepOutcome::Kind::PerhapsSent) outcome.kind = StepOutcome::Kind::Retry;
    return outcome;
}

StepOutcome stillPreparing(const StepCall& call, std::chrono::seconds interval, std::chrono::seconds longest)
{
    auto outcome = StepOutcome::retry(FailureCode::MediaRejected, "The network is still preparing a file of the post.");
    if (call.now - call.firstAttemptAt < longest) outcome.notBefore = call.now + interval;
    return outcome;
}

LookUp notListed(bool reachesBack)
{
    if (!reachesBack) return {LookUp::Kind::Unknown, {}, "The account has too many newer posts.", {}};
    return {LookUp::Kind::Absent, {}, {}, {}};
}

std::string readPiece(const FileBody& file, std::uint64_t begin, std::uint64_t size)
{
    std::string piece(size, '\0');
    std::size_t done = 0;
    while (done < size)
    {
        const auto got = ::pread(file.descriptor, piece.data() + done, size - done, static_cast<off_t>(begin + done));
        if (got <= 0) throw std::runtime_error("a file of a post cannot be read");
        done += static_cast<std::size_t>(got);
    }
    return piece;
}

} // namespace portico::social
