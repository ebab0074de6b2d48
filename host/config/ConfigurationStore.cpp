#include "host/config/ConfigurationStore.h"

#include "host/config/Check.h"

#include <algorithm>

namespace portico::host::config
{

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
    auto misplaced = checkDropIns(layers.entries, _sources.dropIns);
    std::move(misplaced.begin(), misplaced.end(), std::back_inserter(reading.diagnostics));
    reading.configuration = std::make_shared<const Configuration>(catalog, std::move(layers.entries));
    auto crossed = crossCheck(*reading.configuration);
    std::move(crossed.begin(), crossed.end(), std::back_inserter(reading.diagnostics));
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

bool ConfigurationStore::overlay(Entry entry)
{
    const std::lock_guard lock(_mutex);
    std::vector<Entry> entries;
    for (const auto& [key, each] : _current->entries()) entries.push_back(each);
    // Neither the environment nor the command line has lines: what they set is stronger than a file at the next start.
    const auto* before = _current->find(entry.key);
    const bool stronger = before && before->source.line == 0 && before->value != entry.value;
    entries.push_back(std::move(entry));
    _current = std::make_shared<const Configuration>(_current->catalog(), std::move(entries));
    return !stronger;
}

} // namespace portico::host::config
