#pragma once

#include "host/plugins/package/Manifest.h"

#include "portico/Config.h"

#include <map>
#include <string>
#include <vector>

namespace portico::host::platform
{

/// The host's whole configuration: full key to text.
using Settings = std::map<std::string, std::string, std::less<>>;

/// A setting that a service cannot take.
struct SettingFault
{
    std::string key;
    std::string expected;
    std::string found;

    /// `crm.attachments.maxBytes: expected an integer from 1, found "lots"`.
    std::string text() const;
};

/// What is wrong with the settings that a manifest declares; empty if nothing is. For `porticoctl config check` too.
std::vector<SettingFault> checkSettings(const plugins::Manifest& manifest, const Settings& settings);

/// The snapshot for one generation: what is declared, with its default where nothing is set, and the host's `limits.rates` if that is set.
/// @throws std::runtime_error that lists every fault.
Config makeConfig(const plugins::Manifest& manifest, const Settings& settings);

} // namespace portico::host::platform
