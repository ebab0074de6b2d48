#include "host/plugins/runtime/InterfaceRegistry.h"

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

/// Interfaces of the host outlive all plugins and need no lease.
class NoLease final : public LeaseHandle
{
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

const InterfaceRegistry::Provider* InterfaceRegistry::callable(std::string_view serviceId, std::string_view name,
                                                               std::string_view version) const
{
    const auto current = _current.find(name);
    if (current == _current.end()) return nullptr;
    const auto& providers = current->second;
    const auto found = serviceId.empty() ? providers.begin() : providers.find(serviceId);
    return found == providers.end() || !isCallable(found->second.version, version) ? nullptr : &found->second;
}

std::pair<ServiceInterface*, Lease> InterfaceRegistry::take(std::string_view serviceId, std::string_view name,
                                                            std::string_view version) const
{
    // A provider that refuses the lease has been replaced or withdrawn since we looked, or is about to be: look again, a few times.
    for (int attempt = 0; attempt < 3; ++attempt)
    {
        Provider provider;
        {
            const std::shared_lock lock(_mutex);
            const auto* found = callable(serviceId, name, version);
            if (found == nullptr) return {};
            provider = *found;
        }
        if (auto lease = Lease::take(provider.generation)) return {provider.implementation, std::move(lease)};
    }
    return {};
}

std::unique_ptr<LeaseHandle> InterfaceRegistry::find(std::string_view name, std::string_view version, ServiceInterface*& found) const
{
    auto [interface, lease] = take({}, name, version);
    if (!lease) return nullptr;
    found = interface;
    return std::make_unique<HeldLease>(std::move(lease));
}

std::unique_ptr<LeaseHandle> InterfaceRegistry::find(const Generation& user, std::string_view name, std::string_view version,
                                                     ServiceInterface*& found) const
{
    return findOf(user, {}, name, version, found);
}

std::unique_ptr<LeaseHandle> InterfaceRegistry::findOf(const Generation& user, std::string_view serviceId, std::string_view name,
                                                       std::string_view version, ServiceInterface*& found) const
{
    const auto& need = requireNeeded(user.manifest(), name);
    if (const auto own = _ofHost.find(name); own != _ofHost.end())
    {
        const auto& provider = own->second;
        if (!mayUse(need, version, provider.version) || !provider.isFor(user)) return nullptr;
        found = provider.implementation;
        return std::make_unique<NoLease>();
    }
    auto [interface, lease] = take(serviceId, name, version);
    if (!lease || !satisfies(entryOf(lease->manifest().provides, name)->version, need.version)) return nullptr;
    found = interface;
    return std::make_unique<HeldLease>(std::move(lease));
}

std::vector<std::string> InterfaceRegistry::providers(const Generation& user, std::string_view name, std::string_view version) const
{
    const auto& need = requireNeeded(user.manifest(), name);
    std::vector<std::string> services;
    const std::shared_lock lock(_mutex);
    if (const auto current = _current.find(name); current != _current.end())
        for (const auto& [serviceId, provider] : current->second)
            if (mayUse(need, version, provider.version)) services.push_back(serviceId);
    return services;
}

std::string InterfaceRegistry::unusable(const Generation& user, std::string_view name, std::string_view version) const
{
    const auto* need = entryOf(user.manifest().needs, name);
    const std::shared_lock lock(_mutex);
    const auto found = _current.find(name);
    if (!need || found == _current.end()) return {};
    const auto& provided = found->second.begin()->second.version;
    return mayUse(*need, version, provided) ? std::string() : provided;
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
    for (auto& [name, provider] : offered.mapped())
    {
        auto& providers = _current[name];
        if (!entryOf(generation.manifest().provides, name)->many) providers.clear();
        providers.insert_or_assign(generation.serviceId(), std::move(provider));
    }
}

void InterfaceRegistry::withdraw(const Generation& generation)
{
    const std::unique_lock lock(_mutex);
    _offered.erase(&generation);
    for (auto& [name, providers] : _current)
        std::erase_if(providers, [&](const auto& entry) { return entry.second.generation.get() == &generation; });
    std::erase_if(_current, [](const auto& entry) { return entry.second.empty(); });
}

} // namespace portico::host::plugins
