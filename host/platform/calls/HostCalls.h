#pragma once

#include "host/platform/calls/CallBatch.h"
#include "host/platform/outbound/HttpLoop.h"
#include "host/plugins/runtime/Generation.h"

#include "portico/Calls.h"

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace portico::host::platform
{

/// Runs a call to a service of this host through the pipeline, on the calling thread.
using LocalCall = std::function<CallResult(const Call& call)>;

/// Parts that all services share for their calls. Thread-safe once `local` is set, before the first plugin starts.
struct CallParts
{
    /// @param guard outlives this
    explicit CallParts(const GuardedHttpClient& guard)
        : http(guard, [this](std::function<void()> work) { return threads.run("names", std::move(work)); })
    {
    }
    CallThreads threads;
    HttpLoop http;
    /// Empty: no service of this host can be reached.
    LocalCall local;
};

/// `Calls` of one generation. Thread-safe.
class HostCalls final : public Calls
{
public:
    /// @param parts outlive this
    HostCalls(std::shared_ptr<plugins::Generation> generation, CallParts& parts) : _generation(std::move(generation)), _parts(parts) {}

    using Calls::send;
    std::vector<std::optional<CallResult>> send(std::vector<Call> calls, std::chrono::milliseconds deadline, Late late,
                                                std::size_t parallel = 0) override;
    /// Drops the functions of calls that are under way. Only when no lease of the generation is out.
    void clear();

private:
    void begin(const std::shared_ptr<CallBatch>& batch, std::size_t index, Call call);
    void beginLocal(const std::shared_ptr<CallBatch>& batch, std::size_t index, Call call);

    const std::shared_ptr<plugins::Generation> _generation;
    CallParts& _parts;
    std::mutex _mutex;
    /// Those with a function of the plugin.
    std::vector<std::weak_ptr<CallBatch>> _batches;
};

} // namespace portico::host::platform
