#pragma once

#include "portico/Export.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico
{

/// A typed interface that one plugin provides and others call. Derive from it an abstract class with
/// `static constexpr std::string_view interfaceName = "identity.directory"` and `interfaceVersion = "1.1"`: the second number grows when
/// functions are added after the others, the first when anything else changes. The provider's manifest says the same version.
class PORTICO_API ServiceInterface
{
public:
    virtual ~ServiceInterface();
};

/// Keeps a generation of a plugin loaded during a call; created by the host.
class PORTICO_API LeaseHandle
{
public:
    virtual ~LeaseHandle();
};

/// An interface of another plugin for as long as this object lives: keep it for one call, never longer. Converts to false when the
/// provider is absent, disabled or being replaced without a successor.
template <class I>
class Leased
{
public:
    Leased() = default;
    Leased(I* interface, std::unique_ptr<LeaseHandle> lease) noexcept : _interface(interface), _lease(std::move(lease)) {}
    explicit operator bool() const noexcept { return _interface != nullptr; }
    I* operator->() const noexcept { return _interface; }
    I& operator*() const noexcept { return *_interface; }

private:
    I* _interface = nullptr;
    std::unique_ptr<LeaseHandle> _lease;
};

class Services;

/// One of several providers of an interface, identified by its service. A value; valid as long as its Services object.
template <class I>
class Provider
{
public:
    Provider(Services& services, std::string serviceId) : _services(&services), _serviceId(std::move(serviceId)) {}
    const std::string& serviceId() const noexcept { return _serviceId; }
    /// Like Services::find: valid for one call, empty if the provider is unloaded.
    Leased<I> find() const;

private:
    Services* _services;
    std::string _serviceId;
};

/// Interfaces between plugins, declared in the manifests (`provides`, `requires`). Thread-safe.
class PORTICO_API Services
{
public:
    virtual ~Services();
    /// Offers an interface of this plugin; call it in `start`. The object must live until `stop` has returned.
    /// @throws std::logic_error for one that the manifest does not list under `plugin.provides`, or in another version.
    template <class I>
    void provide(I& implementation)
    {
        provideInterface(I::interfaceName, I::interfaceVersion, implementation);
    }
    /// The current provider of an interface, in a version that the manifest requires and that has all of `I`; any other version yields an
    /// empty lease.
    /// @throws std::logic_error for an interface that the manifest does not list under `plugin.requires`.
    template <class I>
    Leased<I> find()
    {
        ServiceInterface* found = nullptr;
        auto lease = findInterface(I::interfaceName, I::interfaceVersion, found);
        if (!lease) return {};
        return Leased<I>(static_cast<I*>(found), std::move(lease));
    }
    /// All current providers of an interface that may have several (`"many": true` in the manifests that provide it), in the order of their
    /// service ids; `find` returns the first. No providers is not an error.
    /// \code
    /// for (const auto& provider : _context.services().all<Tiles>())
    ///     if (const auto tiles = provider.find()) add(provider.serviceId(), tiles->of(user));
    /// \endcode
    /// @throws std::logic_error as find
    template <class I>
    std::vector<Provider<I>> all()
    {
        std::vector<Provider<I>> providers;
        for (auto& serviceId : interfaceProviders(I::interfaceName, I::interfaceVersion))
            providers.emplace_back(*this, std::move(serviceId));
        return providers;
    }

protected:
    template <class I>
    friend class Provider;
    virtual void provideInterface(std::string_view name, std::string_view version, ServiceInterface& implementation) = 0;
    virtual std::unique_ptr<LeaseHandle> findInterface(std::string_view name, std::string_view version, ServiceInterface*& found) = 0;
    /// Service ids.
    virtual std::vector<std::string> interfaceProviders(std::string_view name, std::string_view version) = 0;
    virtual std::unique_ptr<LeaseHandle> findInterfaceOf(std::string_view serviceId, std::string_view name, std::string_view version,
                                                         ServiceInterface*& found) = 0;
};

template <class I>
Leased<I> Provider<I>::find() const
{
    ServiceInterface* found = nullptr;
    auto lease = _services->findInterfaceOf(_serviceId, I::interfaceName, I::interfaceVersion, found);
    if (!lease) return {};
    return Leased<I>(static_cast<I*>(found), std::move(lease));
}

} // namespace portico
