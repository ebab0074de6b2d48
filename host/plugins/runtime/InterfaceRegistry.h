#pragma once

#include "host/plugins/runtime/Generation.h"

#include "portico/Services.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::host::plugins
{

/// Which generation provides which typed interface. A generation offers while it starts, is found once it serves, and is withdrawn when it
/// drains; when its successor was announced before, callers go from one to the other without a gap. Thread-safe.
class InterfaceRegistry
{
public:
    /// Provides an interface of the host itself, which outlives all generations, to those that `isFor` selects; other plugins do not find
    /// it. Before the first plugin starts.
    template <class I>
    void provideByHost(I& implementation, std::function<bool(const Generation&)> isFor)
    {
        _ofHost.insert_or_assign(std::string(I::interfaceName), HostProvider{&implementation, I::interfaceVersion, std::move(isFor)});
    }
    /// Registers an interface of a starting generation; it is not findable yet. For the platform's PluginContext.
    /// @throws std::logic_error when the manifest does not list the name in this version under `plugin.provides`, or it was offered before.
    void offer(const std::shared_ptr<Generation>& generation, std::string_view name, std::string_view version,
               ServiceInterface& implementation);

    /// The current provider of an interface for calls, which are put down to it, or an empty one: absent, disabled, replaced without a
    /// successor, or of a version that cannot be called by what was compiled against that of `I`.
    template <class I>
    Leased<I> find() const
    {
        ServiceInterface* found = nullptr;
        auto lease = find(I::interfaceName, I::interfaceVersion, found);
        if (!lease) return {};
        return {static_cast<I*>(found), std::move(lease)};
    }
    std::unique_ptr<LeaseHandle> find(std::string_view name, std::string_view version, ServiceInterface*& found) const;
    /// The same for a plugin: null also when its manifest asks for another version than there is.
    /// @throws std::logic_error when the manifest does not list the name under `plugin.requires`.
    std::unique_ptr<LeaseHandle> find(const Generation& user, std::string_view name, std::string_view version,
                                      ServiceInterface*& found) const;
    /// The same of several providers.
    std::unique_ptr<LeaseHandle> findOf(const Generation& user, std::string_view serviceId, std::string_view name, std::string_view version,
                                        ServiceInterface*& found) const;
    /// Returns the services whose interface `findOf` would return to that plugin, in order. @throws std::logic_error as find
    std::vector<std::string> providers(const Generation& user, std::string_view name, std::string_view version) const;
    /// Which version is provided that the plugin cannot use, for a warning; empty when none is, or one that it can.
    std::string unusable(const Generation& user, std::string_view name, std::string_view version) const;

    // The lifecycle thread alone calls what follows.

    /// Declared interfaces that the generation has not offered.
    std::vector<std::string> missing(const Generation& generation) const;
    /// Makes the generation's interfaces findable. They replace those of its service under these names, and those of other services unless
    /// the manifest allows many.
    void announce(const Generation& generation);
    /// Forgets everything of the generation.
    void withdraw(const Generation& generation);

private:
    struct Provider
    {
        std::shared_ptr<Generation> generation;
        ServiceInterface* implementation = nullptr;
        std::string version;
    };
    struct HostProvider
    {
        ServiceInterface* implementation = nullptr;
        std::string_view version;
        std::function<bool(const Generation&)> isFor;
    };
    using Providers = std::map<std::string, Provider, std::less<>>;
    /// Provider of a service; without an id, the first by id. Needs `_mutex`; null if no callable provider exists.
    const Provider* callable(std::string_view serviceId, std::string_view name, std::string_view version) const;
    std::pair<ServiceInterface*, Lease> take(std::string_view serviceId, std::string_view name, std::string_view version) const;

    /// Never changed once a plugin has started.
    std::map<std::string, HostProvider, std::less<>> _ofHost;
    mutable std::shared_mutex _mutex;
    /// By interface, then by service; none is empty.
    std::map<std::string, Providers, std::less<>> _current;
    std::map<const Generation*, Providers> _offered;
};

} // namespace portico::host::plugins
