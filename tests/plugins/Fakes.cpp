#include "plugins/Fakes.h"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace portico::tests
{

using namespace host::plugins;

void Journal::write(LogLevel, std::string_view text, Fields fields)
{
    std::string line(text);
    for (const auto& [name, value] : fields) line += " " + std::string(name) + "=" + std::string(value);
    const std::lock_guard lock(_mutex);
    _lines.push_back(std::move(line));
}

std::vector<std::string> Journal::lines() const
{
    const std::lock_guard lock(_mutex);
    return _lines;
}

std::size_t Journal::count(std::string_view text) const
{
    const auto all = lines();
    return static_cast<std::size_t>(std::ranges::count_if(all, [&](const auto& line) { return line.find(text) != std::string::npos; }));
}

namespace
{
[[noreturn]] void notHere() { throw std::logic_error("this test's host does not offer that"); }

class FakeServices final : public Services
{
public:
    FakeServices(InterfaceRegistry& interfaces, std::shared_ptr<Generation> generation)
        : _interfaces(interfaces), _generation(std::move(generation))
    {
    }

protected:
    void provideInterface(std::string_view name, std::string_view version, ServiceInterface& implementation) override
    {
        _interfaces.offer(_generation, name, version, implementation);
    }
    std::unique_ptr<LeaseHandle> findInterface(std::string_view name, std::string_view version, ServiceInterface*& found) override
    {
        return _interfaces.find(*_generation, name, version, found);
    }
    std::vector<std::string> interfaceProviders(std::string_view name, std::string_view version) override
    {
        return _interfaces.providers(*_generation, name, version);
    }
    std::unique_ptr<LeaseHandle> findInterfaceOf(std::string_view serviceId, std::string_view name, std::string_view version,
                                                 ServiceInterface*& found) override
    {
        return _interfaces.findOf(*_generation, serviceId, name, version, found);
    }

private:
    InterfaceRegistry& _interfaces;
    std::shared_ptr<Generation> _generation;
};

class FakeContext final : public GenerationContext
{
public:
    FakeContext(FakeContexts& factory, Journal& journal, InterfaceRegistry& interfaces, const std::shared_ptr<Generation>& generation)
        : _factory(factory), _journal(journal), _services(interfaces, generation), _config(factory.config)
    {
        ++_factory.alive;
        _host.serviceId = generation->serviceId();
    }
    ~FakeContext() override { --_factory.alive; }

    const HostInfo& host() const override { return _host; }
    const Config& config() const override { return _config; }
    Logger& logger() override { return _journal; }
    const Clock& clock() const override { return _clock; }
    Database& database() override { notHere(); }
    StateStore& state() override { notHere(); }
    Jobs& jobs() override { notHere(); }
    Deliveries& deliveries() override { notHere(); }
    Events& events() override { notHere(); }
    Channels& channels() override { notHere(); }
    Blobs& blobs() override { notHere(); }
    Mailer& mailer() override { notHere(); }
    HttpClient& http() override { notHere(); }
    Services& services() override { return _services; }
    Metrics& metrics() override { notHere(); }
    std::atomic<std::uint64_t>& hostCounter(std::string_view) override { notHere(); }
    Calls& calls() override { notHere(); }
    Helpers& helpers() override { notHere(); }

    void activate() override
    {
        ++_factory.active;
        _activated = true;
    }
    void deactivate() override
    {
        if (std::exchange(_activated, false)) --_factory.active;
    }
    std::vector<std::string> clear() override { return _factory.leftovers; }

private:
    FakeContexts& _factory;
    Journal& _journal;
    FakeServices _services;
    Config _config;
    HostInfo _host;
    SystemClock _clock;
    bool _activated = false;
};

bool sharesOrigin(const PublishedService& left, const PublishedService& right)
{
    return std::ranges::find_first_of(left.origins, right.origins) != left.origins.end();
}
} // namespace

void FakeContexts::migrate(const Manifest& manifest)
{
    if (duringMigration) duringMigration(manifest);
    if (const auto failing = failingMigrations.find(manifest.serviceId); failing != failingMigrations.end())
        throw std::runtime_error(failing->second);
}

std::unique_ptr<GenerationContext> FakeContexts::create(const Manifest&, const std::shared_ptr<Generation>& generation)
{
    return std::make_unique<FakeContext>(*this, _journal, _interfaces, generation);
}

namespace
{
std::string clashesIn(const FakePublisher::Set& services)
{
    std::string clashes;
    for (std::size_t i = 0; i < services.size(); ++i)
        for (std::size_t k = i + 1; k < services.size(); ++k)
            for (const auto& route : *services[i].routes)
                for (const auto& other : *services[k].routes)
                    if (sharesOrigin(services[i], services[k]) && route.pattern == other.pattern)
                        clashes += "GET " + route.pattern + " is declared by '" + services[i].manifest->serviceId + "' and by '" +
                                   services[k].manifest->serviceId + "'\n";
    return clashes;
}
} // namespace

std::function<void()> FakePublisher::prepare(Set services)
{
    if (refuseNext.exchange(false)) throw std::runtime_error("the table could not be built");
    if (const auto clashes = clashesIn(services); !clashes.empty()) throw std::invalid_argument(clashes);
    return [this, next = std::make_shared<const Set>(std::move(services))]
    {
        ++published;
        const std::lock_guard lock(_mutex);
        _current = next;
    };
}

std::shared_ptr<const FakePublisher::Set> FakePublisher::current() const
{
    const std::lock_guard lock(_mutex);
    return _current;
}

const PublishedService* FakePublisher::find(const std::string& serviceId, std::shared_ptr<const Set>& keepAlive) const
{
    keepAlive = current();
    const auto found = std::ranges::find_if(*keepAlive, [&](const auto& service) { return service.manifest->serviceId == serviceId; });
    return found == keepAlive->end() ? nullptr : &*found;
}

std::pair<int, std::string> FakePublisher::get(const std::string& serviceId, const std::string& pattern,
                                               const std::function<void(Response&)>& during) const
{
    for (int attempt = 0; attempt < 5; ++attempt)
    {
        std::shared_ptr<const Set> table;
        const auto* service = find(serviceId, table);
        if (!service) return {404, "no such service"};
        const auto route = std::ranges::find(*service->routes, pattern, &RouteInfo::pattern);
        if (route == service->routes->end()) return {404, "no such route"};
        if (service->status != ServiceStatus::Serving) return {503, "not serving"};
        const auto lease = Lease::take(service->generation);
        if (!lease) continue;

        Request request;
        request.stop = lease->stopToken();
        Response response;
        lease->handler(route->slot).handle(request, response);
        if (during) during(response);
        // Before the lease ends: objects of the plugin must be destroyed while its code is loaded.
        response.source.reset();
        return {response.status, response.body};
    }
    return {503, "no lease"};
}

} // namespace portico::tests
