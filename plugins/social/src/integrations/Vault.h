#pragma once

#include "common/Ids.h"
#include "networks/Account.h"

#include "portico/Config.h"
#include "portico/Crypto.h"

#include <optional>
#include <string>
#include <string_view>

namespace portico::social
{

/// The setting that names the file of keys.
inline constexpr std::string_view sealingKeysSetting = "social.sealingKeys";

/// Seals the tokens of accounts with the keys of `social.sealingKeys`. A sealed token can only be opened for its account. Thread-safe.
class Vault
{
public:
    /// @throws std::invalid_argument for lines that are no keys
    explicit Vault(const Config& config);

    /// False without keys: no account can be connected.
    bool isReady() const noexcept { return _sealer.has_value(); }
    /// @throws std::bad_optional_access without keys
    std::string seal(const IntegrationId& account, const Credentials& credentials) const;
    /// Empty when no key here has sealed it.
    std::optional<Credentials> open(const IntegrationId& account, std::string_view sealed) const;
    /// Reseals a token with the first key; empty if it is already sealed with the first key, or cannot be opened.
    std::optional<std::string> sealAgain(const IntegrationId& account, std::string_view sealed) const;
    /// For values of another kind, `connect:…`. See `Sealer`.
    const Sealer& sealer() const { return _sealer.value(); }

private:
    std::optional<Sealer> _sealer;
};

} // namespace portico::social
