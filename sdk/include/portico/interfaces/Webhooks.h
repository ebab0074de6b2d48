#pragma once

#include "portico/Events.h"
#include "portico/Services.h"
#include "portico/Tenant.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::interfaces
{

struct WebhookEndpoint
{
    std::string id;
    std::string url;
    /// Signing secrets, the newest first; each signs (rotation).
    std::vector<std::string> secrets;
};

/// Registry of outgoing webhooks: the endpoints of an organization that subscribe to an event.
class Webhooks : public ServiceInterface
{
public:
    static constexpr std::string_view interfaceName = "portico.webhooks";
    static constexpr std::string_view interfaceVersion = "1.0";
    virtual std::vector<WebhookEndpoint> endpoints(Tenant organization, std::string_view eventType) = 0;
};

} // namespace portico::interfaces
