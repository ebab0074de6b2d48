#include "host/telemetry/LogSink.h"

#include "host/telemetry/Tracer.h"

#include <array>
#include <cerrno>

#include <unistd.h>

namespace portico::host::platform
{

namespace
{

/// syslog's numbers of debug, informational, warning and error.
constexpr std::array<std::string_view, 4> priorities = {"<7>", "<6>", "<4>", "<3>"};

/// Writes all of it, or as much as the reader takes: a log that cannot be written has nobody to tell.
void writeAll(int descriptor, std::string_view text) noexcept
{
    while (!text.empty())
    {
        const auto written = ::write(descriptor, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

} // namespace

LogSink::LogSink(const Clock& clock, const LogSettings& settings)
    : _clock(clock),
      _level(settings.level),
      _format(settings.format),
      _priorityPrefix(settings.priorityPrefix),
      _descriptor(settings.descriptor)
{
}

void LogSink::write(LogLevel level, std::string_view service, std::string_view text, std::span<const LogRecord::Field> fields)
{
    if (!enabled(level)) return;
    const auto* request = tracing::RequestContext::request();
    const auto* trace = tracing::RequestContext::span();
    const auto traceId = trace == nullptr ? std::string() : tracing::toHex(trace->context.traceId);
    emit({_clock.now(), level, service, request == nullptr ? std::string_view() : request->requestId, text, fields, traceId});
}

void LogSink::emit(const LogRecord& record)
{
    std::string line;
    if (_priorityPrefix) line = priorities[static_cast<std::size_t>(record.level)];
    line += formatLine(record, _format);
    // Pipes keep only short writes whole: the mutex keeps the long ones from running into each other.
    const std::lock_guard lock(_mutex);
    writeAll(_descriptor, line);
}

void ServiceLogger::write(LogLevel level, std::string_view text, Fields fields)
{
    _sink.write(level, _serviceId, text, {fields.begin(), fields.size()});
}

} // namespace portico::host::platform
