#pragma once

#include "portico/Export.h"
#include "portico/Instant.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico
{

class Session;

/// Destination of signed messages.
struct DeliveryEndpoint
{
    /// http or https.
    std::string url;
    /// Signing secrets, newest first; each one signs, which allows rotation. `whsec_<base64>` is decoded, any other text is used as its
    /// bytes.
    std::vector<std::string> secrets;
    /// Additional headers, such as `Authorization`, except those of the signature and of the message's format.
    std::vector<std::pair<std::string, std::string>> headers = {};
};

/// One message to one endpoint.
struct DeliveryMessage
{
    /// Chosen by the plugin; at most 200 bytes.
    std::string endpointId;
    /// `calendar.booking.confirmed`.
    std::string type;
    /// JSON text of the member `data`: one object.
    std::string data;
    /// `webhook-id`, by which the receiver detects duplicates: letters, digits and `._:-`, at most 200. Empty: generated.
    std::string id = {};
};

/// Delivery status of an endpoint.
struct DeliveryStatus
{
    enum class State : std::uint8_t
    {
        Working, ///< the last message was delivered, or none was attempted yet
        Failing, ///< the last attempt failed and will be retried
        Disabled ///< no attempts until `enable`
    };
    std::string endpointId;
    State state = State::Working;
    /// Messages that wait for their first or next attempt.
    std::int64_t waiting = 0;
    std::optional<Instant> succeededAt;
    std::optional<Instant> failedAt;
    /// Time of the first failure since the last success.
    std::optional<Instant> failingSince;
    std::optional<Instant> disabledAt;
    /// HTTP status of the last answer; 0: there was none.
    int lastStatus = 0;
    std::string lastError;
};

/// Result of one attempt to deliver a message.
struct DeliveryAttempt
{
    std::string endpointId;
    /// `webhook-id`
    std::string messageId;
    /// Counted from 1.
    int attempt = 1;
    bool delivered = false;
    /// True if there are no further attempts: the message was delivered, has used up its attempts, or its endpoint is disabled.
    bool last = false;
    /// HTTP status of the answer; 0: there was none.
    int httpStatus = 0;
    /// Empty if the message was delivered.
    std::string error;
    Instant at{};
};

/// Sends signed messages to single endpoints of the plugin, for example callbacks of other systems or webhooks. Format: Standard Webhooks,
/// as for `Events` (`webhook-id`, `webhook-timestamp`, `webhook-signature`; body `{type, timestamp, data}`). Messages are written in the
/// transaction of the change and sent afterwards, at least once. Eight attempts over a day, or the declared waits; `Retry-After` of a 429
/// or 503 is respected. An answer other than 2xx is a failure; redirects are not followed.
///
/// An endpoint is disabled when it answers 410, or when a message used up its attempts and none arrived for three days. Its pending
/// messages are dropped, and no message is written until it is enabled. Thread-safe.
class PORTICO_API Deliveries
{
public:
    static constexpr std::chrono::hours disabledAfter{72};
    using Find = std::function<std::optional<DeliveryEndpoint>(std::string_view endpointId)>;

    virtual ~Deliveries();
    /// Registers the function that returns an endpoint. It is called at each attempt, so that no secret is stored with a message.
    /// An empty result drops the endpoint's messages. An exception is a failed attempt. Call it in `start`, once.
    /// @param waits between attempts, each varied by up to a fifth; empty: 1 min, 5 min, 30 min, 2 h, 5 h, 8 h, 8 h
    virtual void endpoints(Find find, std::vector<std::chrono::milliseconds> waits) = 0;
    void endpoints(Find find) { endpoints(std::move(find), {}); }
    /// Writes a message in the caller's transaction. Returns its id, or empty if the endpoint is disabled or already has a waiting
    /// message with this id. @throws std::invalid_argument for an invalid message
    virtual std::string send(Session& session, const DeliveryMessage& message) = 0;
    /// Empty for an endpoint without messages.
    virtual std::optional<DeliveryStatus> status(Session& session, std::string_view endpointId) = 0;
    /// Status of all endpoints with messages, by id.
    virtual std::vector<DeliveryStatus> list(Session& session) = 0;
    /// Enables a disabled endpoint. Returns false if it was not disabled.
    virtual bool enable(Session& session, std::string_view endpointId) = 0;
    /// Removes an endpoint: drops its waiting messages and its status.
    virtual void forget(Session& session, std::string_view endpointId) = 0;
    /// Called after each attempt. May be called twice for one attempt, or not at all if the host stops. Not called for messages dropped
    /// with a disabled endpoint. Exceptions of the callback are logged and ignored. Call it in `start`, once.
    virtual void onAttempt(std::function<void(const DeliveryAttempt&)> told) = 0;
};

} // namespace portico
