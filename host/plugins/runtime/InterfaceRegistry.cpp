#include "host/plugins/runtime/InterfaceRegistry.h"

#include "host/plugins/package/InterfaceRules.h"
#include "host/plugins/package/Version.h"

#include <algorithm>
#include <stdexcept>

namespace portico::host::plugins
{

namespace
{
/// Held for one call: while it is, the thread is inside the provider.
class HeldLease final : public LeaseHandle
{
public:
    explicit HeldLease(Lease lease) noexcept : _lease(std::move(lease)), _scope(_lease->tag()) {}

private:
    Lease _lease;
    PluginScope _scope;
};

const InterfaceReference* entryOf(const std::vector<InterfaceReference>& entries, std::string_view name)
{
    const auto found = std::ranges::find(entries, name, &InterfaceReference::interface);
    return found == entries.end() ? nullptr : &*found;
}
} // namespace

void InterfaceRegistry::offer(const std::shared_ptr<Generation>& generation, std::string_view name, std::string_view version,
                              ServiceInterface& implementation)
{
    requireProvided(generation->manifest(), name, version);
    const std::unique_lock lock(_mutex);
    if (!_offered[generation.get()].try_emplace(std::string(name), Provider{generation, &implementation, std::string(version)}).second)
        throw std::logic_error("the plugin offers the interface '" + std::string(name) + "' twice");
}

LeasedInterface<ServiceInterface> InterfaceRegistry::find(std::string_view name, std::string_view version) const
{
    // A provider that refuses the lease has been replaced or withdrawn since we looked, or is about to be: look again, a few times.
    for (int attempt = 0; attempt < 3; ++attempt)
    {
        Provider provider;
        {
            const std::shared_lock lock(_mutex);
            const auto found = _current.find(name);
            if (found == _current.end() || !isCallable(found->second.version, version)) return {};
            provider = found->second;
        }
        if (auto lease = Lease::take(provider.generation)) return {provider.implementation, std::move(lease)};
    }
    return {};
}

std::unique_ptr<LeaseHandle> InterfaceRegistry::hold(Lease lease) { return std::make_unique<HeldLease>(std::move(lease)); }

std::unique_ptr<LeaseHandle> InterfaceRegistry::find(const Generation& user, std::string_view name, std::string_view version,
                                                     ServiceInterface*& found) const
{
    const auto& need = requireNeeded(user.manifest(), name);
    auto leased = find(name, version);
    if (!leased) return nullptr;
    found = &*leased;
    auto lease = leased.takeLease();
    if (!satisfies(entryOf(lease->manifest().provides, name)->version, need.version)) return nullptr;
    return hold(std::move(lease));
}

std::string InterfaceRegistry::unusable(const Generation& user, std::string_view name, std::string_view version) const
{
    const auto* need = entryOf(user.manifest().needs, name);
    const std::shared_lock lock(_mutex);
    const auto found = _current.find(name);
    if (!need || found == _current.end() || mayUse(*need, version, found->second.version)) return {};
    return found->second.version;
}

std::vector<std::string> InterfaceRegistry::missing(const Generation& generation) const
{
    const std::shared_lock lock(_mutex);
    const auto offered = _offered.find(&generation);
    std::vector<std::string> names;
    for (const auto& provided : generation.manifest().provides)
        if (offered == _offered.end() || !offered->second.contains(provided.interface)) names.push_back(provided.interface);
    return names;
}

void InterfaceRegistry::announce(const Generation& generation)
{
    const std::unique_lock lock(_mutex);
    auto offered = _offered.extract(&generation);
    if (!offered) return;
    for (auto& [name, provider] : offered.mapped()) _current.insert_or_assign(name, std::move(provider));
}

void InterfaceRegistry::withdraw(const Generation& generation)
{
    const std::unique_lock lock(_mutex);
    _offered.erase(&generation);
    std::erase_if(_current, [&](const auto& entry) { return entry.second.generation.get() == &generation; });
}

} // namespace portico::host::plugins
