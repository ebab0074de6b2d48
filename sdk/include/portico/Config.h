#pragma once

#include "portico/Export.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace portico
{

/// The configuration of one generation of a plugin: an immutable snapshot with the defaults of its manifest filled in. A changed setting is
/// a reload.
class PORTICO_API Config
{
public:
    Config() = default;
    explicit Config(std::map<std::string, std::string, std::less<>> values);

    /// Full keys (`crm.attachments.maxBytes`). @throws std::out_of_range for a key that is neither set nor declared: a mistake in the
    /// plugin.
    const std::string& text(std::string_view key) const;
    std::int64_t integer(std::string_view key) const;
    bool boolean(std::string_view key) const;
    /// A number of seconds.
    std::chrono::seconds seconds(std::string_view key) const;
    std::optional<std::string> find(std::string_view key) const;

private:
    std::map<std::string, std::string, std::less<>> _values;
};

} // namespace portico
