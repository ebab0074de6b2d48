#include "host/plugins/lifecycle/DependencyPlan.h"

#include "host/plugins/package/Version.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace portico::host::plugins
{

namespace
{
struct Provider
{
    const Manifest* manifest;
    std::string version;
    bool many;
};

class Planner
{
public:
    explicit Planner(const std::vector<std::shared_ptr<const Manifest>>& manifests) : _given(manifests)
    {
        for (const auto& manifest : manifests) _manifests.emplace(manifest->serviceId, manifest.get());
    }

    DependencyPlan plan()
    {
        for (const auto& manifest : _given) collectProvided(*manifest);
        for (const auto& [id, manifest] : _manifests) checkNeeds(*manifest);
        for (const auto& [id, manifest] : _manifests) addOptional(*manifest);
        for (const auto& [id, manifest] : _manifests) visit(*manifest);
        std::erase_if(_plan.order, [this](const auto& id) { return _plan.faults.contains(id); });
        return std::move(_plan);
    }

private:
    void collectProvided(const Manifest& manifest)
    {
        for (const auto& provided : manifest.provides)
        {
            auto& providers = _providers[provided.interface];
            if (providers.empty() || (provided.many && providers.front().many))
                providers.push_back({&manifest, provided.version, provided.many});
            else
                fault(manifest, "it provides '" + provided.interface + "', which '" + providers.front().manifest->serviceId +
                                    "' provides already: switch one of the two off by removing its folder");
        }
    }

    void checkNeeds(const Manifest& manifest)
    {
        for (const auto& need : manifest.needs)
        {
            const auto wanted = "'" + need.interface + "' " + need.version;
            const auto known = _providers.find(need.interface);
            if (known == _providers.end())
            {
                if (!need.optional) fault(manifest, "it requires " + wanted + ", which no installed plugin provides: install one");
                continue;
            }
            const auto& first = known->second.front();
            const auto found = ", found " + first.version + ", provided by '" + first.manifest->serviceId + "'";
            const bool fits =
                std::ranges::any_of(known->second, [&](const auto& provider) { return satisfies(provider.version, need.version); });
            if (!fits && need.optional)
                _plan.warnings[manifest.serviceId].push_back("it does without " + wanted + found + ": upgrade one of the two");
            else if (!fits)
                fault(manifest, "it requires " + wanted + found + ": upgrade one of the two");
            if (need.optional) continue;
            for (const auto& provider : known->second) _before[&manifest].push_back(provider.manifest);
        }
    }

    /// Optional dependencies also start before the plugin, unless they depend on the plugin themselves.
    void addOptional(const Manifest& manifest)
    {
        for (const auto& need : manifest.needs)
            if (const auto known = _providers.find(need.interface); need.optional && known != _providers.end())
                for (const auto& provider : known->second)
                    if (!leadsTo(provider.manifest, &manifest)) _before[&manifest].push_back(provider.manifest);
    }

    bool leadsTo(const Manifest* from, const Manifest* to)
    {
        std::set<const Manifest*> seen;
        std::vector<const Manifest*> open{from};
        while (!open.empty())
        {
            const auto* next = open.back();
            open.pop_back();
            if (next == to) return true;
            if (seen.insert(next).second) std::ranges::copy(_before[next], std::back_inserter(open));
        }
        return false;
    }

    /// Visits depth first. `_path` is the path from the root of the walk; a plugin that is already on it closes a cycle.
    void visit(const Manifest& manifest)
    {
        if (_done.contains(&manifest)) return;
        if (const auto begin = std::ranges::find(_path, &manifest); begin != _path.end()) return reportRing({begin, _path.end()});
        _path.push_back(&manifest);
        for (const auto* provider : _before[&manifest]) visit(*provider);
        _path.pop_back();
        if (_done.insert(&manifest).second) _plan.order.push_back(manifest.serviceId);
    }

    void reportRing(const std::vector<const Manifest*>& ring)
    {
        std::string names;
        for (const auto* manifest : ring) names += manifest->serviceId + " -> ";
        names += ring.front()->serviceId;
        for (const auto* manifest : ring)
            fault(*manifest, "its requirements form a ring, " + names + ": make one of them optional or remove it");
    }

    void fault(const Manifest& manifest, std::string text) { _plan.faults[manifest.serviceId].push_back(std::move(text)); }

    const std::vector<std::shared_ptr<const Manifest>>& _given;
    std::map<std::string, const Manifest*, std::less<>> _manifests;
    /// By interface; none is empty.
    std::map<std::string, std::vector<Provider>, std::less<>> _providers;
    /// Plugins that must start before each plugin.
    std::map<const Manifest*, std::vector<const Manifest*>> _before;
    std::vector<const Manifest*> _path;
    std::set<const Manifest*> _done;
    DependencyPlan _plan;
};
} // namespace

DependencyPlan planDependencies(const std::vector<std::shared_ptr<const Manifest>>& manifests) { return Planner(manifests).plan(); }

} // namespace portico::host::plugins
