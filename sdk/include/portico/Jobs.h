#pragma once

#include "portico/Export.h"
#include "portico/Instant.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace portico
{

class Session;

/// One run of a job.
struct Job
{
    std::string id;
    std::string type;
    /// JSON text, as enqueued.
    std::string payload;
    /// From 1.
    int attempt = 1;
    /// Asks the job to end soon and be run again later: the plugin is being replaced.
    std::stop_token stop;
};

/// Durable background work, a row each in the service's database: runs at least once, so a job must bear to be run twice. A job that throws
/// is run again with growing waits; after its last attempt it is a dead letter that the operator sees and can retry (`porticoctl jobs`).
/// Thread-safe.
class PORTICO_API Jobs
{
public:
    struct Options
    {
        std::chrono::milliseconds delay{0};
        int maxAttempts = 8;
        /// At most one unfinished job with that key exists; a second is not enqueued.
        std::string dedupeKey;
    };
    virtual ~Jobs();
    /// Says what runs jobs of a type; call it in `start`. The function is dropped when the plugin stops.
    virtual void handle(std::string_view type, std::function<void(const Job&)> run) = 0;
    /// Enqueues in the caller's transaction: the job exists exactly if the change does. Returns its id, or empty if the dedupe key is
    /// taken.
    virtual std::string enqueue(Session& session, std::string_view type, std::string_view payload, const Options& options) = 0;
    std::string enqueue(Session& session, std::string_view type, std::string_view payload)
    {
        return enqueue(session, type, payload, Options{});
    }
    /// Runs a job of that type again and again, `interval` after the end of the last run; one host at a time.
    virtual void every(std::string_view type, std::chrono::seconds interval) = 0;
};

} // namespace portico
