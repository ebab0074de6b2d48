#include "host/config/Configuration.h"

#include "host/base/ReadFiles.h"
#include "host/base/Text.h"
#include "host/config/Values.h"

#include <algorithm>
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
    if (!rule) throw std::out_of_range("Undeclared setting: " + std::string(key));
    return rule->defaultValue.value_or("");
}

void Configuration::refuse(std::string_view key, const std::string& expected) const
{
    const auto* entry = find(key);
    throw std::runtime_error((entry ? entry->source.text() + ": " : "") + std::string(key) + " expected " + expected + ", found '" +
                             text(key) + "'");
}

std::int64_t Configuration::integer(std::string_view key) const
{
    const auto value = text(key);
    const auto rule = _catalog.find(key);
    const auto expected = fault(rule->kind, rule->minimum, rule->maximum, rule->choices, value);
    const auto parsed = rule->kind == Kind::Bytes ? parseBytes(value) : parseNumber<std::int64_t>(value);
    if (!expected.empty() || !parsed) refuse(key, expected.empty() ? "a number" : expected);
    return *parsed;
}

bool Configuration::boolean(std::string_view key) const
{
    const auto parsed = parseBoolean(text(key));
    if (!parsed) refuse(key, "true or false");
    return *parsed;
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
    const auto content = contentOf(file);
    if (!content) throw std::runtime_error(std::string(key) + ": cannot read the secret file " + file);
    return std::string(trimmed(*content, whiteSpace));
}

bool Reading::refused() const
{
    return std::any_of(diagnostics.begin(), diagnostics.end(),
                       [](const Diagnostic& diagnostic)
                       { return diagnostic.severity == Diagnostic::Severity::Error && diagnostic.serviceId.empty(); });
}

ConfigurationStore::ConfigurationStore(LayerSources sources, Discover discover)
    : _sources(std::move(sources)),
      _discover(std::move(discover)),
      _current(std::make_shared<const Configuration>(Catalog{}, std::vector<Entry>{}))
{
}

Reading ConfigurationStore::read() const
{
    // The host's own settings say where the plugins are; these say which further settings there are.
    const Configuration ownSettings({}, readLayers({}, _sources).entries);
    const Catalog catalog(_discover(ownSettings));
    auto layers = readLayers(catalog, _sources);
    Reading reading;
    reading.diagnostics = check(catalog, layers);
    std::ranges::move(checkDropIns(layers.entries, _sources.dropIns), std::back_inserter(reading.diagnostics));
    {
        const std::lock_guard lock(_mutex);
        for (const auto& [key, entry] : _unstored) layers.entries.push_back(entry);
    }
    reading.configuration = std::make_shared<const Configuration>(catalog, std::move(layers.entries));
    std::ranges::move(crossCheck(*reading.configuration), std::back_inserter(reading.diagnostics));
    return reading;
}

std::shared_ptr<const Configuration> ConfigurationStore::current() const
{
    const std::lock_guard lock(_mutex);
    return _current;
}

void ConfigurationStore::adopt(std::shared_ptr<const Configuration> configuration)
{
    const std::lock_guard lock(_mutex);
    _current.swap(configuration);
}

bool ConfigurationStore::overlay(Entry entry, bool stored)
{
    const std::lock_guard lock(_mutex);
    std::vector<Entry> entries;
    for (const auto& [key, each] : _current->entries()) entries.push_back(each);
    // Neither the environment nor the command line has lines: what they set is stronger than a file at the next reading.
    const auto* before = _current->find(entry.key);
    if (before && before->source.line == 0) _fixed.insert_or_assign(entry.key, before->value);
    const auto fixed = _fixed.find(entry.key);
    const bool stronger = fixed != _fixed.end() && fixed->second != entry.value;
    if (stored)
        _unstored.erase(entry.key);
    else
        _unstored.insert_or_assign(entry.key, entry);
    entries.push_back(std::move(entry));
    _current = std::make_shared<const Configuration>(_current->catalog(), std::move(entries));
    return !stored || !stronger;
}

} // namespace portico::host::config
