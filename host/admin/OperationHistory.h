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

/// As the control socket tells it.
boost::json::object operationJson(const plugins::OperationResult& operation);

/// Who changed what, when, and how it ended, over restarts: a line of JSON each in a file, of which the older half goes when it grows long,
/// and the newest in memory. Thread-safe.
class OperationHistory
{
public:
    /// How many are kept in memory, and lines in the file.
    struct Limits
    {
        std::size_t remembered = 200;
        std::size_t lines = 10'000;
    };

    /// Reads what earlier runs wrote; lines that are none are passed over. Both references outlive this.
    OperationHistory(std::filesystem::path file, Logger& log, Limits limits);
    OperationHistory(std::filesystem::path file, Logger& log) : OperationHistory(std::move(file), log, Limits()) {}

    /// Writes one down and returns it as it stands in the list, with its number. A file that cannot be written is logged and no more.
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
