#pragma once

#include "portico/Services.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::plugins
{
struct Manifest;
}

namespace portico::testing
{

/// Interfaces of other plugins that the test provides, and those of the plugin itself: like in a host, only those that its manifest lists.
/// The test's objects outlive it. Used by one thread during setup, then thread-safe.
class PORTICO_API FakeServices final : public Services
{
public:
    explicit FakeServices(std::shared_ptr<const host::plugins::Manifest> manifest);
    ~FakeServices() override;

    /// Makes `fake` the provider of an interface.
    template <class I>
    void offer(I& fake)
    {
        offer<I>(std::string_view(), fake);
    }
    /// The same of one service, where there may be many providers.
    template <class I>
    void offer(std::string_view serviceId, I& fake)
    {
        _offered[std::string(I::interfaceName)].insert_or_assign(
            std::string(serviceId), Offered{static_cast<ServiceInterface*>(&fake), std::string(I::interfaceVersion)});
    }
    /// Simulates that all providers are disabled.
    void withdraw(std::string_view interfaceName);
    /// Returns the interface that the plugin under test provides, or null.
    template <class I>
    I* provided() const
    {
        const auto found = _provided.find(I::interfaceName);
        return found == _provided.end() ? nullptr : static_cast<I*>(found->second);
    }
    bool provides(std::string_view interfaceName) const { return _provided.contains(interfaceName); }

protected:
    void provideInterface(std::string_view name, std::string_view version, ServiceInterface& implementation) override;
    std::unique_ptr<LeaseHandle> findInterface(std::string_view name, std::string_view version, ServiceInterface*& found) override;
    std::vector<std::string> interfaceProviders(std::string_view name, std::string_view version) override;
    std::unique_ptr<LeaseHandle> findInterfaceOf(std::string_view serviceId, std::string_view name, std::string_view version,
                                                 ServiceInterface*& found) override;

private:
    friend class TestContext;
    void forget() { _provided.clear(); }

    struct Offered
    {
        ServiceInterface* fake = nullptr;
        std::string version;
    };

    const std::shared_ptr<const host::plugins::Manifest> _manifest;
    /// By interface, then by service; of `offer` without one, the service is empty.
    std::map<std::string, std::map<std::string, Offered, std::less<>>, std::less<>> _offered;
    std::map<std::string, ServiceInterface*, std::less<>> _provided;
};

} // namespace portico::testing
