#pragma once

#include "portico/Export.h"

#include <memory>
#include <string_view>
#include <utility>

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

/// Holds a generation of a plugin in memory for the time of a call; made by the host.
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
    /// The current provider of an interface, in a version that the manifest asks for and that has all of `I`; another one is as absent as
    /// none. @throws std::logic_error for an interface that the manifest does not list under `plugin.requires`.
    template <class I>
    Leased<I> find()
    {
        ServiceInterface* found = nullptr;
        auto lease = findInterface(I::interfaceName, I::interfaceVersion, found);
        if (!lease) return {};
        return Leased<I>(static_cast<I*>(found), std::move(lease));
    }

protected:
    virtual void provideInterface(std::string_view name, std::string_view version, ServiceInterface& implementation) = 0;
    virtual std::unique_ptr<LeaseHandle> findInterface(std::string_view name, std::string_view version, ServiceInterface*& found) = 0;
};

} // namespace portico
