#include "portico/Config.h"

#include <charconv>
#include <stdexcept>
#include <utility>

namespace portico
{

namespace
{

[[noreturn]] void throwWrongType(std::string_view key, std::string_view expected, std::string_view found)
{
    throw std::invalid_argument("setting " + std::string(key) + ": expected " + std::string(expected) + ", found \"" + std::string(found) +
                                "\"");
}

} // namespace

Config::Config(std::map<std::string, std::string, std::less<>> values) : _values(std::move(values)) {}

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
    if (error != std::errc{} || stop != end) throwWrongType(key, "an integer", value);
    return number;
}

bool Config::boolean(std::string_view key) const
{
    const auto& value = text(key);
    if (value == "true") return true;
    if (value == "false") return false;
    throwWrongType(key, "true or false", value);
}

std::chrono::seconds Config::seconds(std::string_view key) const { return std::chrono::seconds(integer(key)); }

std::optional<std::string> Config::find(std::string_view key) const
{
    const auto found = _values.find(key);
    if (found == _values.end()) return std::nullopt;
    return found->second;
}

} // namespace portico
