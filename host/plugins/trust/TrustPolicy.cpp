#include "host/plugins/trust/TrustPolicy.h"

#include <algorithm>
#include <iterator>

namespace portico::host::plugins
{

namespace
{
std::string unsignedFault(const Manifest& manifest, const TrustedKeys& keys)
{
    return (manifest.directory() / signatureName).string() + ": expected a signature of '" + manifest.serviceId +
           "', which did not come with the host, by one of the keys in " + keys.text() +
           ", found none: have it signed (porticoctl plugin sign), or, if you trust it as it is, name it in plugins.allowUnsigned and "
           "restart the "
           "daemon";
}
} // namespace

TrustVerdict judgeTrust(const TrustPolicy& policy, const Manifest& manifest, const std::filesystem::path& copy, const FileList& files)
{
    const auto keys = TrustedKeys::read(policy.trustedKeys);
    auto proof = readFolderSignature(copy, manifest.directory(), keys, &files);
    TrustVerdict verdict{.provenance = {}, .byException = false, .faults = std::move(proof.faults)};
    if (policy.services.builtIn(manifest.serviceId, manifest.directory()))
        verdict.provenance = "built-in";
    else if (!proof.key.empty())
        verdict.provenance = "signed by " + proof.key;
    else if (policy.allowUnsigned.contains(manifest.serviceId) && !keys.revokedUnknown)
    {
        verdict.provenance = "unsigned";
        verdict.byException = true;
    }
    else if (!proof.signedBySomebody)
        verdict.faults.push_back(unsignedFault(manifest, keys));
    // A key that cannot be read may be the one that is missed.
    if (!verdict.faults.empty()) std::ranges::copy(keys.faults, std::back_inserter(verdict.faults));
    return verdict;
}

} // namespace portico::host::plugins
