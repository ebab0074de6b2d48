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
    std::string remedy = {};

    /// `crm.attachments.maxBytes: expected an integer from 1, found "lots"`.
    std::string text() const;
};

/// Describes the expected value if a value is invalid; empty if it is valid. Checks the text only. Also used by `porticoctl config check`.
std::string settingFault(const plugins::ManifestSetting& setting, std::string_view value);

/// Lists the faults of the settings that a manifest declares.
std::vector<SettingFault> checkSettings(const plugins::Manifest& manifest, const Settings& settings);

/// The snapshot for one generation: what is declared, with its default where nothing is set, and the host's `limits.rates` if that is set.
/// Reads the files of secrets. @throws std::runtime_error that lists every fault.
Config makeConfig(const plugins::Manifest& manifest, const Settings& settings);

} // namespace portico::host::platform
