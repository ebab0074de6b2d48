#pragma once

#include "portico/Export.h"
#include "portico/Instant.h"

#include <functional>
#include <string>
#include <string_view>

namespace portico
{

class Session;

struct Event
{
    /// `evt_…`; the same at every delivery.
    std::string id;
    /// `crm.contact.created`.
    std::string type;
    std::string organizationId;
    /// JSON text of `data`.
    std::string data;
    Instant time{};
};

/// Events, written to an outbox in the transaction of the change and delivered afterwards, at least once: to subscribed plugins in-process
/// and to the organization's webhook endpoints, signed as Standard Webhooks. Thread-safe.
class PORTICO_API Events
{
public:
    virtual ~Events();
    /// Writes the event in the caller's transaction. `data`: text of one JSON object.
    virtual void publish(Session& session, std::string_view type, std::string_view organizationId, std::string_view data) = 0;
    /// Calls `receive` for every event of a type, or of a service with `crm.*`; call it in `start`. After an exception the event is
    /// delivered again later.
    virtual void subscribe(std::string_view pattern, std::function<void(const Event&)> receive) = 0;
};

} // namespace portico
