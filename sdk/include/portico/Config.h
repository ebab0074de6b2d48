#pragma once

#include "portico/Schema.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico
{

/// The configuration of one generation of a plugin: an immutable snapshot with the defaults of its manifest filled in. A changed setting is
/// a reload.
class PORTICO_API Config
{
public:
    Config() = default;
    /// @param secrets what the files of secrets held, by the keys that name the files
    explicit Config(std::map<std::string, std::string, std::less<>> values, std::map<std::string, std::string, std::less<>> secrets = {});

    // Full keys (`crm.attachments.maxBytes`). Each throws std::out_of_range for a key that is neither set nor declared with a default, and
    // std::invalid_argument for a value of another type: the host has checked the values, so either is a mistake in the plugin.

    const std::string& text(std::string_view key) const;
    std::int64_t integer(std::string_view key) const;
    bool boolean(std::string_view key) const;
    /// A number of seconds.
    std::chrono::seconds seconds(std::string_view key) const;
    /// Type `choice`: a value of a described enum with the same words.
    template <detail::DescribedEnum E>
    E choice(std::string_view key) const
    {
        const auto value = parseEnum<E>(text(key));
        if (!value) wrongType(key, "a word of the enum");
        return *value;
    }
    /// Type `list`: the items without blanks around them; those that are empty are left out.
    std::vector<std::string> list(std::string_view key) const;
    /// Type `url`: absolute, http or https; empty where the manifest's default is.
    const std::string& url(std::string_view key) const;
    /// Type `secretFile`: content of the file when this generation started, without white space at its ends; empty if the manifest's
    /// default is empty and nothing is set. Never log it. `text` returns the path.
    const std::string& secret(std::string_view key) const;
    /// Empty for what is neither set nor declared with a default.
    std::optional<std::string> find(std::string_view key) const;

private:
    [[noreturn]] void wrongType(std::string_view key, std::string_view expected) const;

    std::map<std::string, std::string, std::less<>> _values;
    std::map<std::string, std::string, std::less<>> _secrets;
};

} // namespace portico
