#pragma once

#include "host/data/RequestReads.h"

#include "portico/Database.h"
#include "portico/Metrics.h"
#include "portico/system/SharedReads.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

namespace portico::host::data
{

/// Reads for many requests with one statement: all that wait when it begins get its answer. Two statements at a time at most, on two
/// threads, and each begins some time after the one before, whatever the number of requests. Thread-safe.
class SharedReads final : public interfaces::SharedReads
{
public:
    /// The database of a service; null if it has none open.
    using FindDatabase = std::function<std::shared_ptr<Database>(std::string_view serviceId)>;

    /// Starts no thread yet. @param metrics outlives this
    SharedReads(FindDatabase find, Metrics& metrics) : _find(std::move(find)), _metrics(metrics) {}
    ~SharedReads() override { stop(); }

    bool read(std::string_view serviceId, std::string_view statement, std::span<const std::string_view> keys,
              std::span<std::int64_t> numbers) override;
    /// Reads the wanted numbers, then calls `ready` once, on one of the threads: it must be quick and must not throw. Until then the caller
    /// must not use `reads`.
    void begin(RequestReads& reads, std::function<void()> ready);
    /// Answers what waits, and begins no more.
    void stop() noexcept;

private:
    using Clock = std::chrono::steady_clock;
    using Lock = std::unique_lock<std::mutex>;
    struct Waiting
    {
        RequestReads* reads;
        std::function<void()> ready;
    };

    void run();
    /// Those that wait for the same statement as the first, which there is.
    std::vector<Waiting> takeBatch();
    void answer(std::vector<Waiting>& batch);
    void query(std::vector<Waiting>& batch) const;
    void fail(std::vector<Waiting>& batch, const DatabaseError& error);

    const FindDatabase _find;
    Metrics& _metrics;
    std::mutex _mutex;
    std::condition_variable _changed;
    std::vector<Waiting> _waiting;
    Clock::time_point _next{};
    bool _stopping = false;
    std::vector<std::thread> _threads;
};

} // namespace portico::host::data
