#pragma once

#include "portico/Blobs.h"
#include "portico/Calls.h"
#include "portico/Clock.h"
#include "portico/Config.h"
#include "portico/Database.h"
#include "portico/Deliveries.h"
#include "portico/EventStream.h"
#include "portico/Events.h"
#include "portico/Health.h"
#include "portico/Helper.h"
#include "portico/HostInfo.h"
#include "portico/HttpClient.h"
#include "portico/Id.h"
#include "portico/Jobs.h"
#include "portico/Logger.h"
#include "portico/Mailer.h"
#include "portico/Metrics.h"
#include "portico/Routes.h"
#include "portico/Services.h"
#include "portico/StateStore.h"
#include "portico/detail/Fingerprint.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace portico
{

/// The interface of the host for a plugin. Valid from `create` to the end of `destroy`; every part is
/// thread-safe.
class PORTICO_API PluginContext
{
public:
    virtual ~PluginContext();
    virtual const HostInfo& host() const = 0;
    virtual const Config& config() const = 0;
    virtual Logger& logger() = 0;
    virtual const Clock& clock() const = 0;
    /// @throws std::logic_error when the manifest declares no migrations.
    virtual Database& database() = 0;
    virtual StateStore& state() = 0;
    virtual Jobs& jobs() = 0;
    virtual Events& events() = 0;
    virtual Channels& channels() = 0;
    /// @throws std::logic_error when the manifest declares no migrations.
    virtual Deliveries& deliveries() = 0;
    virtual Blobs& blobs() = 0;
    virtual Mailer& mailer() = 0;
    virtual HttpClient& http() = 0;
    virtual Services& services() = 0;
    virtual Metrics& metrics() = 0;
    /// Returns a counter in the memory of this host, which starts at 0. All generations of the service share it, for example to invalidate
    /// caches. The reference is valid until the host ends.
    virtual std::atomic<std::uint64_t>& hostCounter(std::string_view name) = 0;
    virtual Calls& calls() = 0;
    virtual Helpers& helpers() = 0;
};

/// A service. The host constructs it with its PluginContext, calls `start`, then `declare`, then serves. These calls are never concurrent;
/// declared handlers run on many threads concurrently.
///
/// - If the constructor, `start` or `declare` throws, loading fails and the previous version keeps serving. `stop` is then called only if
///   `start` had returned.
/// - After a successful `start`, `stop` is called exactly once, when no request, job or event of this plugin runs any more.
/// - A plugin has no private threads, timers, singletons or thread-locals.
class PORTICO_API Plugin
{
public:
    virtual ~Plugin();
    /// Within the manifest's `lifecycle.startSeconds`.
    virtual void start() {}
    virtual void declare(Routes& routes) = 0;
    virtual void stop() noexcept {}
    /// Checks dependencies other than the database, which the host checks itself. Called after `declare`, then every few seconds while
    /// requests run: must return quickly. The service is unhealthy while a call has not returned or when it throws. Until then the host
    /// neither calls it again nor stops the service.
    virtual std::vector<HealthCheck> health() { return {}; }
};

namespace abi
{
/// docs/compatibility.md describes what raises these.
inline constexpr unsigned epoch = PORTICO_SDK_EPOCH;
inline constexpr unsigned minor = PORTICO_SDK_MINOR;

/// The exported symbol of a plugin, `portico_plugin`. Its layout never changes.
struct Descriptor
{
    char magic[8];
    unsigned size;
    unsigned epoch;
    unsigned minor;
    /// Properties that host and plugin must have in common, as `name=value;` pairs. The same text as in the ELF note.
    const char* fingerprint;
    Plugin* (*create)(PluginContext& context);
    void (*destroy)(Plugin* plugin) noexcept;
};
} // namespace abi

} // namespace portico

/// Makes a class the plugin of this shared object: `PORTICO_PLUGIN(CrmPlugin)` once, in one .cpp. The class has a constructor from
/// `PluginContext&`.
#define PORTICO_PLUGIN(Class)                                                                                                              \
    PORTICO_FINGERPRINT_NOTE                                                                                                               \
    extern "C" PORTICO_API const ::portico::abi::Descriptor portico_plugin;                                                                \
    extern "C" const ::portico::abi::Descriptor portico_plugin = {{'P', 'O', 'R', 'T', 'I', 'C', 'O', '\0'},                               \
                                                                  sizeof(::portico::abi::Descriptor),                                      \
                                                                  ::portico::abi::epoch,                                                   \
                                                                  ::portico::abi::minor,                                                   \
                                                                  ::portico::detail::fingerprint.data,                                     \
                                                                  [](::portico::PluginContext& context) -> ::portico::Plugin*              \
                                                                  { return new Class(context); },                                          \
                                                                  [](::portico::Plugin* plugin) noexcept { delete plugin; }}
