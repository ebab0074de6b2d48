#pragma once

#include "host/platform/jobs/JobStore.h"

#include "portico/Clock.h"
#include "portico/Database.h"
#include "portico/Deliveries.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::platform
{

/// Type of the jobs that send a signed message of the service's own.
inline constexpr std::string_view deliveryMessageJobType = "portico.delivery";

/// A message as its job keeps it.
struct StoredDelivery
{
    /// `webhook-id`
    std::string id;
    std::string body;
};

StoredDelivery storedDelivery(std::string_view payload);

/// The table `portico_endpoint` of one service's database, and the jobs that wait for its endpoints. Thread-safe.
class EndpointStore
{
public:
    EndpointStore(Database& database, JobStore& jobs, const Clock& clock) : _database(database), _jobs(jobs), _clock(clock) {}

    /// Like Deliveries::send. @param tries maximum attempts
    std::string send(Session& session, const DeliveryMessage& message, int tries) const;
    std::optional<DeliveryStatus> status(Session& session, std::string_view endpointId) const;
    std::vector<DeliveryStatus> list(Session& session) const;
    bool enable(Session& session, std::string_view endpointId) const;
    void forget(Session& session, std::string_view endpointId) const;

    // Reports from the runner, each in its own transaction.

    bool isDisabled(std::string_view endpointId) const;
    void succeeded(std::string_view endpointId, int httpStatus) const;
    void failed(std::string_view endpointId, int httpStatus, std::string_view error) const;
    /// Drops what waits, too. @param failingFor only if it has been failing for as long. False: it is as it was.
    bool disable(std::string_view endpointId, std::chrono::hours failingFor) const;
    void forget(std::string_view endpointId) const;
    std::int64_t countDisabled() const;
    static std::int64_t countDisabled(Session& session);

private:
    void dropWaiting(Session& session, std::string_view endpointId) const;

    Database& _database;
    JobStore& _jobs;
    const Clock& _clock;
};

} // namespace portico::host::platform
