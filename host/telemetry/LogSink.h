#pragma once

#include "portico/Clock.h"
#include "portico/Logger.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace portico::host::telemetry
{

enum class LogFormat : std::uint8_t
{
    Text, ///< `2026-11-21T09:00:00.000Z warning crm text requestId=01jd… name=value`
    Json  ///< one object a line
};

class LogTail;

struct LogSettings
{
    LogLevel level = LogLevel::Information;
    LogFormat format = LogFormat::Text;
    /// Starts each line with `<6>` and the like, as journald reads them (sd-daemon(3)).
    bool priorityPrefix = false;
    /// Where lines go; the sink does not own it.
    int descriptor = 2;
    /// Keeps what is written, too; the sink does not own it. Null: nothing does.
    LogTail* tail = nullptr;
};

/// `debug`, `information`, `warning` or `error`.
std::optional<LogLevel> parseLogLevel(std::string_view text) noexcept;
std::optional<LogFormat> parseLogFormat(std::string_view text) noexcept;

/// One record, as it is written. Views are read during the call only.
struct LogRecord
{
    using Field = std::pair<std::string_view, std::string_view>;

    Instant time{};
    LogLevel level = LogLevel::Information;
    /// Empty for the host itself.
    std::string_view service;
    std::string_view requestId;
    std::string_view text;
    /// The host's records about a service or a request name them as fields: `service`, `requestId`, `traceId`.
    std::span<const Field> fields;
    /// 32 hexadecimal digits, or empty.
    std::string_view traceId{};
};

/// Moves the record's subject to its members: the service and the request that its fields name, else `host`.
LogRecord resolved(LogRecord record);
/// One line with its end. Control characters, quotes and broken UTF-8 are escaped, so that a record never looks like two.
std::string formatLine(const LogRecord& record, LogFormat format);

/// The end of all logs: one line a record, one write a line. Everything is copied before a call returns. Thread-safe.
class LogSink
{
public:
    LogSink(const Clock& clock, const LogSettings& settings) : _clock(clock), _settings(settings), _level(settings.level) {}

    bool enabled(LogLevel level) const noexcept { return level >= _level.load(std::memory_order_relaxed); }
    void setLevel(LogLevel level) noexcept { _level.store(level, std::memory_order_relaxed); }
    /// Writes a record of a service (empty: the host), with the request and the trace that the current thread works for.
    void write(LogLevel level, std::string_view service, std::string_view text, std::span<const LogRecord::Field> fields);

private:
    void emit(const LogRecord& record);

    const Clock& _clock;
    const LogSettings _settings;
    /// May change.
    std::atomic<LogLevel> _level;
    std::mutex _mutex;
};

/// The log of one service, or of the host (empty id).
class ServiceLogger final : public Logger
{
public:
    ServiceLogger(LogSink& sink, std::string serviceId) : _sink(sink), _serviceId(std::move(serviceId)) {}
    void write(LogLevel level, std::string_view text, Fields fields) override;
    bool enabled(LogLevel level) const noexcept override { return _sink.enabled(level); }

private:
    LogSink& _sink;
    const std::string _serviceId;
};

} // namespace portico::host::telemetry
