#include "host/platform/events/EndpointStore.h"

#include "host/base/Text.h"
#include "host/platform/events/PluginEvents.h"
#include "host/platform/events/SignedPost.h"

#include "portico/Id.h"
#include "portico/Text.h"

#include <algorithm>
#include <stdexcept>

namespace portico::host::platform
{

namespace
{

using MessageId = Id<"msg">;

constexpr std::size_t longestName = 200;
constexpr std::size_t longestError = 500;

constexpr std::string_view statusColumns =
    "SELECT e.id, e.succeeded_at, e.failed_at, e.failing_since, e.disabled_at, e.last_status, e.last_error,"
    " (SELECT count(*) FROM portico_job j WHERE j.endpoint_id = e.id AND j.dead_at IS NULL) FROM portico_endpoint e";

DeliveryStatus statusFrom(const Row& row)
{
    DeliveryStatus status;
    status.endpointId = row.get<std::string>(0);
    status.succeededAt = row.get<std::optional<Instant>>(1);
    status.failedAt = row.get<std::optional<Instant>>(2);
    status.failingSince = row.get<std::optional<Instant>>(3);
    status.disabledAt = row.get<std::optional<Instant>>(4);
    status.lastStatus = row.get<int>(5);
    status.lastError = row.get<std::optional<std::string>>(6).value_or("");
    status.waiting = row.get<std::int64_t>(7);
    using State = DeliveryStatus::State;
    status.state = status.disabledAt ? State::Disabled : status.failingSince ? State::Failing : State::Working;
    return status;
}

void check(const DeliveryMessage& message)
{
    if (message.endpointId.empty() || message.endpointId.size() > longestName)
        throw std::invalid_argument("deliveries: an endpoint has an id of 1 to 200 bytes");
    if (message.type.empty()) throw std::invalid_argument("deliveries: a message has a type");
    if (message.id.size() > longestName || !hasOnly(message.id, "._:-"))
        throw std::invalid_argument("deliveries: the id of a message has letters, digits and ._:-, at most 200");
    requireEventData(message.type, message.data);
}

} // namespace

StoredDelivery storedDelivery(std::string_view payload)
{
    const auto end = std::min(payload.size(), payload.find('\n'));
    return {std::string(payload.substr(0, end)), std::string(payload.substr(std::min(payload.size(), end + 1)))};
}

std::string EndpointStore::send(Session& session, const DeliveryMessage& message, int tries) const
{
    check(message);
    const auto now = _clock.now();
    session.execute("INSERT INTO portico_endpoint (id) VALUES ($1) ON CONFLICT (id) DO NOTHING", message.endpointId);
    const auto disabled =
        session.value<bool>("SELECT disabled_at IS NOT NULL FROM portico_endpoint WHERE id = $1", message.endpointId).value_or(false);
    if (disabled) return {};
    const auto id = message.id.empty() ? MessageId::make(now).text() : message.id;
    NewJob job;
    job.type = deliveryMessageJobType;
    job.payload = id + "\n" + webhookBody({id, message.type, {}, message.data, now});
    job.maxAttempts = tries;
    job.endpointId = message.endpointId;
    job.dedupeKey = "portico.delivery:" + message.endpointId + ":" + id;
    return _jobs.enqueue(session, job).empty() ? std::string() : id;
}

std::optional<DeliveryStatus> EndpointStore::status(Session& session, std::string_view endpointId) const
{
    auto rows = session.query(std::string(statusColumns) + " WHERE e.id = $1", endpointId);
    const auto row = rows.next();
    return row ? std::optional(statusFrom(*row)) : std::nullopt;
}

std::vector<DeliveryStatus> EndpointStore::list(Session& session) const
{
    std::vector<DeliveryStatus> all;
    for (const Row row : session.query(std::string(statusColumns) + " ORDER BY e.id")) all.push_back(statusFrom(row));
    return all;
}

bool EndpointStore::enable(Session& session, std::string_view endpointId) const
{
    return session.execute("UPDATE portico_endpoint SET disabled_at = NULL, failing_since = NULL WHERE id = $1 AND disabled_at IS NOT NULL",
                           endpointId) > 0;
}

void EndpointStore::dropWaiting(Session& session, std::string_view endpointId) const
{
    session.execute("DELETE FROM portico_job WHERE endpoint_id = $1 AND lease IS NULL AND dead_at IS NULL", endpointId);
}

void EndpointStore::forget(Session& session, std::string_view endpointId) const
{
    dropWaiting(session, endpointId);
    session.execute("DELETE FROM portico_endpoint WHERE id = $1", endpointId);
}

bool EndpointStore::isDisabled(std::string_view endpointId) const
{
    auto session = _database.session();
    return session.value<bool>("SELECT disabled_at IS NOT NULL FROM portico_endpoint WHERE id = $1", endpointId).value_or(false);
}

void EndpointStore::succeeded(std::string_view endpointId, int httpStatus) const
{
    writeOnce(_database,
              "UPDATE portico_endpoint SET succeeded_at = $2, failing_since = NULL, last_status = $3, last_error = NULL WHERE id = $1",
              endpointId, _clock.now(), httpStatus);
}

void EndpointStore::failed(std::string_view endpointId, int httpStatus, std::string_view error) const
{
    writeOnce(_database,
              "UPDATE portico_endpoint SET failed_at = $2, failing_since = coalesce(failing_since, $2), last_status = $3, last_error = $4"
              " WHERE id = $1",
              endpointId, _clock.now(), httpStatus, cleanText(error, longestError));
}

bool EndpointStore::disable(std::string_view endpointId, std::chrono::hours failingFor) const
{
    const auto now = _clock.now();
    return _database.transact(
        [&](Transaction& transaction)
        {
            if (transaction.execute("UPDATE portico_endpoint SET disabled_at = $2 WHERE id = $1 AND disabled_at IS NULL"
                                    " AND failing_since <= $3",
                                    endpointId, now, Instant(now - failingFor)) == 0)
                return false;
            dropWaiting(transaction, endpointId);
            return true;
        });
}

void EndpointStore::forget(std::string_view endpointId) const
{
    _database.transact([&](Transaction& transaction) { forget(transaction, endpointId); });
}

std::int64_t EndpointStore::countDisabled() const
{
    auto session = _database.session();
    return countDisabled(session);
}

std::int64_t EndpointStore::countDisabled(Session& session)
{
    return session.value<std::int64_t>("SELECT count(*) FROM portico_endpoint WHERE disabled_at IS NOT NULL").value_or(0);
}

} // namespace portico::host::platform
