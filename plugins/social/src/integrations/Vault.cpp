#include "integrations/Vault.h"

#include "portico/Json.h"

namespace portico::social
{

namespace
{
std::string sealPurpose(const IntegrationId& account) { return "integration:" + account.text(); }
} // namespace

Vault::Vault(const Config& config)
{
    if (const auto& lines = config.secret(sealingKeysSetting); !lines.empty()) _sealer = Sealer::parse(lines);
}

std::string Vault::seal(const IntegrationId& account, const Credentials& credentials) const
{
    return _sealer.value().seal(toJson(credentials), sealPurpose(account));
}

std::optional<Credentials> Vault::open(const IntegrationId& account, std::string_view sealed) const
{
    if (!_sealer) return std::nullopt;
    const auto text = _sealer->tryOpen(sealed, sealPurpose(account));
    if (!text) return std::nullopt;
    return fromStoredJson<Credentials>(*text);
}

std::optional<std::string> Vault::sealAgain(const IntegrationId& account, std::string_view sealed) const
{
    if (!_sealer || _sealer->isCurrent(sealed)) return std::nullopt;
    const auto text = _sealer->tryOpen(sealed, sealPurpose(account));
    if (!text) return std::nullopt;
    return _sealer->seal(*text, sealPurpose(account));
}

} // namespace portico::social
