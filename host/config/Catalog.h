#pragma once

#include "host/config/Setting.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::config
{

/// One known key with its rules, wherever it was declared. Views live as long as the catalog.
struct Rule
{
    Kind kind = Kind::Text;
    std::int64_t minimum = 0;
    std::int64_t maximum = unbounded;
    std::string_view choices;
    std::optional<std::string> defaultValue;
    Applies applies = Applies::Restart;
    /// Service that declared it; empty: the host's own.
    std::string serviceId;
    /// Of a service: instead of the rules above.
    std::function<std::string(std::string_view)> fault = {};
};

/// Every key that may be set: the host's table and what the manifests declare.
class Catalog
{
public:
    Catalog() = default;
    explicit Catalog(std::vector<DeclaredSetting> declared);

    /// What holds for a key; empty if nobody knows it.
    std::optional<Rule> find(std::string_view key) const;
    /// The known key that a misspelt one most resembles; empty if none is near.
    std::string nearest(std::string_view key) const;
    /// The key that an environment variable means, given without `PORTICO_`: `SERVICES_CRM_ENABLED` is `services.crm.enabled`. Empty if
    /// none.
    std::string fromEnvironment(std::string_view name) const;
    const std::map<std::string, DeclaredSetting, std::less<>>& declared() const noexcept { return _declared; }

private:
    std::map<std::string, DeclaredSetting, std::less<>> _declared;
};

/// True if `key` is `pattern` with a service id in the place of `<id>`.
bool matchesPattern(std::string_view pattern, std::string_view key) noexcept;

} // namespace portico::host::config
