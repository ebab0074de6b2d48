#pragma once

#include "host/plugins/lifecycle/Publisher.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace portico::host::plugins
{

/// Tells whoever keeps the catalog of services which ones there are. Called by the lifecycle thread after each change, and again when the
/// keeper itself is started or replaced.
class RegistrationLink
{
public:
    virtual ~RegistrationLink() = default;
    /// @returns services that are not registered, by id, with the reason; empty when nobody could be asked: then all stays as it was.
    /// @throws std::exception when asking failed; the next change asks again.
    virtual std::optional<std::map<std::string, std::string>> announce(const std::vector<PublishedService>& services) = 0;
};

} // namespace portico::host::plugins
