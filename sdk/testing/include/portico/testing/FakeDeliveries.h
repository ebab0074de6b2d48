#pragma once

#include "portico/Clock.h"
#include "portico/Database.h"
#include "portico/Deliveries.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::testing
{

/// Signed messages, stored as the host stores them: rolled-back messages are not sent, and a disabled endpoint accepts none. Rejects the
/// same input as the host. The database is a TestDatabase's.
class PORTICO_API FakeDeliveries final : public Deliveries
{
public:
    struct Sent
    {
        std::string endpointId;
        /// `webhook-id`
        std::string id;
        /// `{"type":…,"timestamp":…,"data":…}`
        std::string body;
    };

    FakeDeliveries(Database& database, const Clock& clock);
    ~FakeDeliveries() override;

    using Deliveries::endpoints;
    void endpoints(Find find, std::vector<std::chrono::milliseconds> waits) override;
    std::string send(Session& session, const DeliveryMessage& message) override;
    std::optional<DeliveryStatus> status(Session& session, std::string_view endpointId) override;
    std::vector<DeliveryStatus> list(Session& session) override;
    bool enable(Session& session, std::string_view endpointId) override;
    void forget(Session& session, std::string_view endpointId) override;
    void onAttempt(std::function<void(const DeliveryAttempt&)> told) override;

    /// Returns the messages of committed transactions, oldest first.
    std::vector<Sent> sent() const;
    /// Where the plugin says that an endpoint is.
    std::optional<DeliveryEndpoint> where(std::string_view endpointId) const;
    /// Simulates a delivered message, or an attempt that failed with that status.
    void succeed(std::string_view endpointId);
    void fail(std::string_view endpointId, int httpStatus, std::string_view error);
    /// Simulates an attempt: notifies the plugin.
    void attempt(const DeliveryAttempt& how);
    /// Simulates an endpoint that failed for too long: its pending messages are dropped.
    void disable(std::string_view endpointId);

private:
    friend class TestContext;
    void forget();

    struct State;
    const std::unique_ptr<State> _state;
};

} // namespace portico::testing
