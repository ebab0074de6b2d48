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

/// Where signed messages go.
struct DeliveryEndpoint
{
    /// http or https.
    std::string url;
    /// Signing secrets, the newest first; each signs (rotation). `whsec_<base64>` stands for the decoded bytes, any other for itself.
    std::vector<std::string> secrets;
    /// Sent along, as `Authorization`; not those of the signature and of the message's frame.
    std::vector<std::pair<std::string, std::string>> headers = {};
};

/// One message to one endpoint.
struct DeliveryMessage
{
    /// Of the plugin's choice; at most 200 bytes.
    std::string endpointId;
    /// `calendar.booking.confirmed`.
    std::string type;
    /// JSON text of the member `data`: one object.
    std::string data;
    /// `webhook-id`, by which the receiver knows a message that comes twice: letters, digits and `._:-`, at most 200. Empty: one is made.
    std::string id = {};
};

/// How an endpoint does.
struct DeliveryStatus
{
    enum class State : std::uint8_t
    {
        Working, ///< the last message arrived, or none was tried yet
        Failing, ///< the last try failed; tried again
        Disabled ///< given up until `enable`
    };
    std::string endpointId;
    State state = State::Working;
    /// Messages that wait for their first or another try.
    std::int64_t waiting = 0;
    std::optional<Instant> succeededAt;
    std::optional<Instant> failedAt;
    /// Of the first of the failures that no success has ended.
    std::optional<Instant> failingSince;
    std::optional<Instant> disabledAt;
    /// HTTP status of the last answer; 0: there was none.
    int lastStatus = 0;
    std::string lastError;
};

/// How one try to deliver a message went.
struct DeliveryAttempt
{
    std::string endpointId;
    /// `webhook-id`
    std::string messageId;
    /// Counted from 1.
    int attempt = 1;
    bool delivered = false;
    /// It is not tried again: it arrived, used up its tries, or its endpoint is disabled.
    bool last = false;
    /// HTTP status of the answer; 0: there was none.
    int httpStatus = 0;
    /// Empty for one that arrived.
    std::string error;
    Instant at{};
};

/// Signed messages to single endpoints that the plugin knows: notification services, callbacks of other systems, webhooks of its own. As
/// those of `Events` they are Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`; body `{type, timestamp, data}`),
/// written in the transaction of the change and sent afterwards, at least once: eight tries over a day, or the declared waits; the wait
/// that a 429 or 503 asks for is kept. An answer other than 2xx is a failure; redirects are not followed.
///
/// An endpoint that answers 410, or where a message used up its tries and none arrived for three days, is disabled: what waits for it is
/// dropped, and nothing more is written for it until it is enabled. Thread-safe.
class PORTICO_API Deliveries
{
public:
    static constexpr std::chrono::hours disabledAfter{72};
    using Find = std::function<std::optional<DeliveryEndpoint>(std::string_view endpointId)>;

    virtual ~Deliveries();
    /// Says where an endpoint is; asked at each try, so that no secret is stored with a message and a changed endpoint counts at once.
    /// Empty: it is gone, and so are its messages. A throw is a failed try. Call it in `start`, once.
    /// @param waits between the tries, each give or take a fifth; empty: 1 min, 5 min, 30 min, 2 h, 5 h, 8 h, 8 h
    virtual void endpoints(Find find, std::vector<std::chrono::milliseconds> waits) = 0;
    void endpoints(Find find) { endpoints(std::move(find), {}); }
    /// Writes a message in the caller's transaction. Returns its id, or empty when the endpoint is disabled or has a message of this id
    /// waiting. @throws std::invalid_argument for what cannot be a message
    virtual std::string send(Session& session, const DeliveryMessage& message) = 0;
    /// Empty for one that nothing was sent to.
    virtual std::optional<DeliveryStatus> status(Session& session, std::string_view endpointId) = 0;
    /// Of all endpoints that something was sent to, by id.
    virtual std::vector<DeliveryStatus> list(Session& session) = 0;
    /// Lets messages be written for a disabled endpoint again. False if it was not disabled.
    virtual bool enable(Session& session, std::string_view endpointId) = 0;
    /// Drops what waits for an endpoint, and its status: it is no more.
    virtual void forget(Session& session, std::string_view endpointId) = 0;
    /// Tells of each try, once it is over, for a service that shows what became of its messages. Of one it may be told twice, as a message
    /// may come twice, or not at all, where it stops at that moment. What waits for an endpoint that is disabled is dropped untold. What
    /// `told` throws is logged, and changes nothing. Call it in `start`, once.
    virtual void onAttempt(std::function<void(const DeliveryAttempt&)> told) = 0;
};

} // namespace portico
