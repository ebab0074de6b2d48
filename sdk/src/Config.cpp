#include "portico/Config.h"

#include "portico/Text.h"

#include <charconv>
#include <stdexcept>
#include <utility>

namespace portico
{

Config::Config(std::map<std::string, std::string, std::less<>> values, std::map<std::string, std::string, std::less<>> secrets)
    : _values(std::move(values)), _secrets(std::move(secrets))
{
}

void Config::wrongType(std::string_view key, std::string_view expected) const
{
    throw std::invalid_argument("setting " + std::string(key) + ": expected " + std::string(expected) + ", found \"" + text(key) + '"');
}

const std::string& Config::text(std::string_view key) const
{
    const auto found = _values.find(key);
    if (found == _values.end())
        throw std::out_of_range("setting " + std::string(key) + " is neither set nor declared with a default in the manifest");
    return found->second;
}

std::int64_t Config::integer(std::string_view key) const
{
    const auto& value = text(key);
    std::int64_t number = 0;
    const auto* end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, number);
    if (error != std::errc{} || stop != end) wrongType(key, "an integer");
    return number;
}

bool Config::boolean(std::string_view key) const
{
    const auto& value = text(key);
    if (value == "true") return true;
    if (value == "false") return false;
    wrongType(key, "true or false");
}

std::chrono::seconds Config::seconds(std::string_view key) const { return std::chrono::seconds(integer(key)); }

std::vector<std::string> Config::list(std::string_view key) const { return splitList(text(key)); }

const std::string& Config::url(std::string_view key) const
{
    const auto& value = text(key);
    if (!value.empty() && !isWebUrl(value)) wrongType(key, "an http or https URL");
    return value;
}

const std::string& Config::secret(std::string_view key) const
{
    const auto found = _secrets.find(key);
    if (found == _secrets.end())
        throw std::out_of_range("setting " + std::string(key) + " is neither set nor declared with the type secretFile and a default");
    return found->second;
}

std::optional<std::string> Config::find(std::string_view key) const
{
    const auto found = _values.find(key);
    if (found == _values.end()) return std::nullopt;
    return found->second;
}

} // namespace portico
