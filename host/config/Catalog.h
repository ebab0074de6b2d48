#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace portico::host::config
{

/// Form of a value.
enum class Kind : std::uint8_t
{
    Text,
    Integer,
    Boolean,
    Seconds,    ///< Whole seconds.
    Bytes,      ///< A number of bytes, `K`, `M` or `G` behind it multiplies by 1024.
    Choice,     ///< One of `Setting::choices`.
    Path,       ///< A file or directory; relative ones are relative to the working directory.
    SecretFile, ///< A file whose only content is a secret, readable by the daemon.
    List,       ///< Items separated by commas.
    Origin,     ///< Web origins separated by commas: scheme, host and port, no path.
    Database    ///< `sqlite:` or `postgresql://…` without a password.
};

/// How a change takes effect.
enum class Applies : std::uint8_t
{
    Live,   ///< On `porticoctl config reload` or SIGHUP.
    Restart ///< When the daemon starts.
};

inline constexpr std::int64_t unbounded = std::numeric_limits<std::int64_t>::max();

/// One documented setting of the host. In a key, `<id>` is the id of a service.
struct Setting
{
    std::string_view key;
    Kind kind;
    std::string_view defaultValue;
    Applies applies;
    std::string_view description;
    std::int64_t minimum = 0;
    std::int64_t maximum = unbounded;
    /// Separated by `|`.
    std::string_view choices = {};
};

/// Settings that belong together, with a heading for the reference.
struct SettingGroup
{
    std::string_view title;
    std::span<const Setting> settings;
};

/// The whole table, in the order of the reference. Constant data.
std::span<const SettingGroup> settingGroups() noexcept;

// The table as text, for people.
/// etc/portico.properties: every setting of the host, explained, with its default commented out. A test keeps the file equal to this.
std::string referenceProperties();
/// The SETTINGS part of portico.properties(5), in mdoc.
std::string referenceManual();

/// Rules of a known key, wherever it was declared. Views live as long as the catalog.
struct Rule
{
    Kind kind = Kind::Text;
    std::int64_t minimum = 0;
    std::int64_t maximum = unbounded;
    std::string_view choices = {};
    std::optional<std::string> defaultValue = {};
    Applies applies = Applies::Restart;
    /// Service that declared it; empty: the host's own.
    std::string serviceId = {};
    /// Set for settings of a service, instead of the rules above: describes the expected value; empty if the value is valid.
    std::function<std::string(std::string_view)> fault = {};
};

/// The settings that plugins declare in their manifests, by key.
using DeclaredSettings = std::map<std::string, Rule, std::less<>>;

/// Every key that may be set: the host's table and what the manifests declare.
class Catalog
{
public:
    Catalog() = default;
    explicit Catalog(DeclaredSettings declared) : _declared(std::move(declared)) {}

    /// Returns the rules of a key; nullopt if it is unknown.
    std::optional<Rule> find(std::string_view key) const;
    /// The known key that a misspelt one most resembles; empty if none is near.
    std::string nearest(std::string_view key) const;
    /// The key that an environment variable without `PORTICO_` means: `SERVICES_CRM_ENABLED` is `services.crm.enabled`. Empty if none.
    std::string fromEnvironment(std::string_view name) const;
    const DeclaredSettings& declared() const noexcept { return _declared; }

private:
    DeclaredSettings _declared;
};

/// The id of the service in the place of `<id>`: `crm` in `services.crm.port` for `services.<id>.port`. Empty for another key.
std::string_view serviceIn(std::string_view pattern, std::string_view key) noexcept;

} // namespace portico::host::config
