#pragma once

#include "host/plugins/runtime/Contracts.h"
#include "host/plugins/runtime/InterfaceRegistry.h"

#include "portico/Request.h"
#include "portico/Response.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace portico::tests
{

/// Collects what is logged, `text name=value …` a line. Thread-safe.
class Journal final : public Logger
{
public:
    void write(LogLevel level, std::string_view text, Fields fields) override;
    bool enabled(LogLevel) const noexcept override { return true; }
    std::vector<std::string> lines() const;
    /// How often a line that contains the text was written.
    std::size_t count(std::string_view text) const;

private:
    mutable std::mutex _mutex;
    std::vector<std::string> _lines;
};

/// Contexts that offer a logger, a configuration and interfaces, and count what is done to them.
class FakeContexts final : public host::plugins::ContextFactory
{
public:
    FakeContexts(Journal& journal, host::plugins::InterfaceRegistry& interfaces) : _journal(journal), _interfaces(interfaces) {}

    void migrate(const host::plugins::Manifest& manifest) override;
    void close(const std::string& serviceId) override { closed.push_back(serviceId); }
    std::unique_ptr<host::plugins::GenerationContext> create(const host::plugins::Manifest& manifest,
                                                             const std::shared_ptr<host::plugins::Generation>& generation) override;

    /// Values of the plugins' configuration.
    std::map<std::string, std::string, std::less<>> config;
    /// Services whose migrations fail, with the text.
    std::map<std::string, std::string> failingMigrations;
    /// Called where a service is migrated: after it was verified, before it is loaded.
    std::function<void(const host::plugins::Manifest& manifest)> duringMigration;
    /// Leftovers that `clear` reports.
    std::vector<std::string> leftovers;
    /// Services whose files were closed.
    std::vector<std::string> closed;
    std::atomic<int> alive{0};
    std::atomic<int> active{0};

private:
    Journal& _journal;
    host::plugins::InterfaceRegistry& _interfaces;
};

/// A route table without routing: it finds a route by service and pattern, under the lease protocol of the design.
class FakePublisher final : public host::plugins::Publisher
{
public:
    using Set = std::vector<host::plugins::PublishedService>;

    std::function<void()> prepare(Set services) override;

    std::shared_ptr<const Set> current() const;
    const host::plugins::PublishedService* find(const std::string& serviceId, std::shared_ptr<const Set>& keepAlive) const;
    /// Status and body of GET on a service: 503 if it does not serve, 404 if it has no such route. The lease is held while `during` runs.
    std::pair<int, std::string> get(const std::string& serviceId, const std::string& pattern,
                                    const std::function<void(Response&)>& during = {}) const;

    /// Makes the next `prepare` throw.
    std::atomic<bool> refuseNext{false};
    std::atomic<int> published{0};

private:
    mutable std::mutex _mutex;
    std::shared_ptr<const Set> _current = std::make_shared<const Set>();
};

} // namespace portico::tests
