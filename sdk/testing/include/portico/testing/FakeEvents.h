#pragma once

#include "portico/Clock.h"
#include "portico/Database.h"
#include "portico/Events.h"

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace portico::testing
{

/// Events that stay in the outbox for the test to look at; those of other services come from the test. The database is a TestDatabase's.
class PORTICO_API FakeEvents final : public Events
{
public:
    FakeEvents(Database& database, const Clock& clock);
    ~FakeEvents() override;

    void publish(Session& session, std::string_view type, std::string_view organizationId, std::string_view data) override;
    void subscribe(std::string_view pattern, std::function<void(const Event&)> receive) override;

    /// Returns the events of committed transactions, oldest first.
    std::vector<Event> published() const;
    /// Those of one type.
    std::vector<Event> published(std::string_view type) const;
    /// Hands an event to the plugin's subscriptions; how many took it. Passes on what they throw.
    std::size_t deliver(const Event& event);

private:
    friend class TestContext;
    void forget();
    /// Events of committed transactions that were not given before, the oldest first.
    std::vector<Event> fresh();

    struct State;
    const std::unique_ptr<State> _state;
};

} // namespace portico::testing
