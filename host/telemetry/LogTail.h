#pragma once

#include "portico/Instant.h"
#include "portico/Logger.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

namespace portico::host::telemetry
{

struct LogRecord;

/// A record of the log as it is kept.
struct KeptRecord
{
    /// Rises by one with each record, also over restarts: the first of a run comes after its start in milliseconds, times thousand.
    std::int64_t number = 0;
    LogLevel level = LogLevel::Information;
    /// `host` for the host itself.
    std::string service;
    std::string requestId;
    /// The record as LogFormat::Json, without the end of the line.
    std::string line;
};

/// The newest records of the log in memory, for the operator's console, limited by number and bytes; the oldest are dropped first. It
/// contains what the log contains. Thread-safe: one mutex, locked for a copy and never during a callback.
class LogTail
{
public:
    static constexpr std::size_t maxRecords = 5'000;
    static constexpr std::size_t maxBytes = std::size_t{4} << 20;
    /// Longer records are cut, and lose their fields.
    static constexpr std::size_t maxRecordBytes = std::size_t{8} << 10;

    struct Filter
    {
        /// Empty: all.
        std::string service = {};
        /// And above.
        LogLevel level = LogLevel::Debug;
        /// Empty: any, and none.
        std::string requestId = {};
    };

    struct Page
    {
        /// The oldest first.
        std::vector<KeptRecord> records;
        /// Position for reading the next page.
        std::int64_t next = 0;
        /// Number of later records that were dropped; it is unknown whether they match the filter.
        std::int64_t missed = 0;
    };

    explicit LogTail(Instant started) : _next(started.time_since_epoch().count() * 1'000 + 1) {}

    void add(const LogRecord& record);
    /// The first `limit` that agree after the record of that number; for 0, or a number that none has had yet, the newest `limit`.
    Page read(const Filter& filter, std::int64_t after, std::size_t limit) const;
    /// Memory of the records.
    std::size_t bytes() const;

private:
    Page newest(const Filter& filter, std::size_t limit) const;
    Page following(const Filter& filter, std::int64_t after, std::size_t limit) const;

    mutable std::mutex _mutex;
    std::deque<KeptRecord> _records;
    /// Memory of `_records`.
    std::size_t _bytes = 0;
    std::int64_t _next;
};

} // namespace portico::host::telemetry
