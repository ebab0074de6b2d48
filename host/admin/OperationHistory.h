#pragma once

#include "host/plugins/lifecycle/LifecycleReport.h"

#include "portico/Logger.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <deque>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>

namespace portico::host::admin
{

/// Converts an operation to the JSON of the control socket.
boost::json::object operationJson(const plugins::OperationResult& operation);

/// Changes of the host with caller, time and result, kept over restarts. A file has one line of JSON each, and its older half is deleted
/// when it grows long; the newest are in memory. Thread-safe.
class OperationHistory
{
public:
    /// How many are kept in memory, and lines in the file.
    struct Limits
    {
        std::size_t remembered = 200;
        std::size_t lines = 10'000;
    };

    /// Reads the file of earlier runs and skips malformed lines. Both references outlive this.
    OperationHistory(std::filesystem::path file, Logger& log, Limits limits);
    OperationHistory(std::filesystem::path file, Logger& log) : OperationHistory(std::move(file), log, Limits()) {}

    /// Records an operation and returns its entry with its number. A file that cannot be written is only logged.
    boost::json::object add(const plugins::OperationResult& operation, Instant now);
    /// When the newest ended, in RFC 3339; empty if there is none.
    std::string newestTime() const;
    /// The newest first; of one service, or of all if that is empty.
    boost::json::array list(std::size_t limit, std::string_view service) const;

private:
    void read();
    void append(const std::string& line);
    void dropOlderHalf();

    const std::filesystem::path _file;
    Logger& _log;
    const Limits _limits;
    mutable std::mutex _mutex;
    std::deque<boost::json::object> _operations;
    std::int64_t _last = 0;
    std::size_t _lines = 0;
};

} // namespace portico::host::admin
