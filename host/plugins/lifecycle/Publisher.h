#pragma once

#include "host/plugins/package/Manifest.h"
#include "host/plugins/runtime/Generation.h"

#include "portico/Access.h"
#include "portico/Http.h"
#include "portico/Routes.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace portico::host::plugins
{

/// A route as host data: a RouteDeclaration without its handler, its permission completed with the service's id.
struct RouteInfo
{
    Method method = Method::Get;
    std::string pattern;
    Access access;
    BodyKind body = BodyKind::None;
    std::uint64_t bodyLimit = 0;
    bool onEveryOrigin = false;
    Execution execution = Execution::Worker;
    bool idempotencyKey = false;
    bool anyOrigin = false;
    bool undocumented = false;
    std::string cacheControl;
    std::string operation;
    std::map<std::string, std::string> components;
    /// Index of the handler in the generation.
    std::size_t slot = 0;
};

enum class ServiceStatus
{
    Serving,
    Disabled, ///< switched off by configuration, or an incomplete registration
    Quarantined,
    Failed ///< enabled, but could not be started
};

/// One service as the route table needs it. A service that does not serve keeps the routes it last had (empty if it never ran).
struct PublishedService
{
    std::shared_ptr<const Manifest> manifest;
    ServiceStatus status = ServiceStatus::Disabled;
    /// Only when serving.
    std::shared_ptr<Generation> generation;
    std::shared_ptr<const std::vector<RouteInfo>> routes;
    /// Exact web origins of the service; the first is the canonical one.
    std::vector<std::string> origins;
    /// False: protected routes answer 503 `service_disabled` although the plugin runs (incomplete registration).
    bool registered = true;
};

/// Takes the set of services that the lifecycle thread wants to serve. Implemented by routing.
class Publisher
{
public:
    virtual ~Publisher() = default;
    /// What is wrong with the set (route clashes, gateway clashes): empty if it can be published. No effect.
    virtual std::vector<std::string> check(const std::vector<PublishedService>& services) const = 0;
    /// Makes the set the one that new requests see. Builds everything first, then swaps; throws only before the swap.
    virtual void publish(std::vector<PublishedService> services) = 0;
};

} // namespace portico::host::plugins
