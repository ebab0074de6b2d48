#pragma once

#include "common/Core.h"
#include "permissions/PersonAccess.h"
#include "tokens/CredentialCache.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace portico::identity
{

/// Returns the rights of the caller's user, or of the organization that owns the caller's key. Returns none for a service principal, and
/// for a deleted account.
std::optional<PersonAccess> callerAccess(Session& session, const Caller& caller, Instant now);

/// Versions of the rights of callers in services: hashes of the facts that decide about them. A caller's facts are read again only after a
/// change that concerns the caller, so equal rights keep their version. Thread-safe.
class AccessVersions
{
public:
    explicit AccessVersions(Core& core) : _core(core) {}
    /// One version per service ID, in their order.
    std::vector<std::string> of(const Caller& caller, const std::vector<std::string>& serviceIds);

private:
    using ByService = std::map<std::string, std::string, std::less<>>;
    struct Remembered
    {
        std::shared_ptr<const ByService> versions;
        CallerRevision revision;
        /// Time alone changes a right then.
        Instant until{};
        Instant expiresAt{};
    };
    Remembered read(const Caller& caller, const std::vector<std::string>& serviceIds, CallerRevision revision, ByService known,
                    Instant now);

    Core& _core;
    CredentialCache<Remembered> _cache;
};

} // namespace portico::identity
