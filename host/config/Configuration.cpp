#include "host/config/Configuration.h"

#include "host/base/Text.h"
#include "host/config/Values.h"

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace portico::host::config
{

Configuration::Configuration(Catalog catalog, std::vector<Entry> entries) : _catalog(std::move(catalog))
{
    for (auto& entry : entries)
    {
        auto key = entry.key;
        _entries.insert_or_assign(std::move(key), std::move(entry));
    }
}

const Entry* Configuration::find(std::string_view key) const
{
    const auto found = _entries.find(key);
    return found == _entries.end() ? nullptr : &found->second;
}

std::string Configuration::text(std::string_view key) const
{
    if (const auto* entry = find(key)) return entry->value;
    const auto rule = _catalog.find(key);
    if (!rule) throw std::out_of_range("Nobody declares the setting " + std::string(key));
    return rule->defaultValue.value_or("");
}

std::int64_t Configuration::number(std::string_view key) const
{
    const auto value = text(key);
    const auto rule = _catalog.find(key);
    const auto expected = fault(rule->kind, rule->minimum, rule->maximum, rule->choices, value);
    const auto parsed = rule->kind == Kind::Bytes ? parseBytes(value) : parseInteger(value);
    if (expected.empty() && parsed) return *parsed;
    const auto* entry = find(key);
    throw std::runtime_error((entry ? entry->source.text() + ": " : std::string{}) + std::string(key) + " expected " +
                             (expected.empty() ? "a number" : expected) + ", found '" + value + "'");
}

std::int64_t Configuration::integer(std::string_view key) const { return number(key); }

std::uint64_t Configuration::bytes(std::string_view key) const { return static_cast<std::uint64_t>(number(key)); }

std::chrono::seconds Configuration::seconds(std::string_view key) const { return std::chrono::seconds(number(key)); }

bool Configuration::boolean(std::string_view key) const
{
    const auto value = text(key);
    if (const auto parsed = parseBoolean(value)) return *parsed;
    const auto* entry = find(key);
    throw std::runtime_error((entry ? entry->source.text() + ": " : std::string{}) + std::string(key) + " expected true or false, found '" +
                             value + "'");
}

std::vector<std::string> Configuration::list(std::string_view key) const { return parseList(text(key)); }

std::string Configuration::service(std::string_view id, std::string_view name) const
{
    return text(std::string("services.").append(id).append(".").append(name));
}

std::string Configuration::secret(std::string_view key) const
{
    const auto file = text(key);
    if (file.empty()) return {};
    std::ifstream stream(file, std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    if (!stream) throw std::runtime_error(std::string(key) + ": cannot read the secret file " + file);
    return std::string(trimmed(content, whiteSpace));
}

} // namespace portico::host::config
