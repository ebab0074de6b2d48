#include "host/platform/LogSink.h"

#include <array>
#include <cerrno>
#include <cstdio>

#include <unistd.h>

namespace portico::host::platform
{

namespace
{

thread_local std::string_view currentRequest;

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

std::string milliseconds(std::chrono::microseconds duration)
{
    std::array<char, 32> text{};
    const auto count = duration.count();
    const int length =
        std::snprintf(text.data(), text.size(), "%lld.%03lld", static_cast<long long>(count / 1000), static_cast<long long>(count % 1000));
    return {text.data(), static_cast<std::size_t>(length)};
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
    emit({_clock.now(), level, service, LogScope::current(), text, fields});
}

void LogSink::access(const AccessRecord& record)
{
    if (!enabled(LogLevel::Information)) return;
    const auto status = std::to_string(record.status);
    const auto bytes = std::to_string(record.responseBytes);
    const auto duration = milliseconds(record.duration);
    const std::array<LogRecord::Field, 7> fields = {{{"method", record.method},
                                                     {"path", record.path},
                                                     {"status", status},
                                                     {"bytes", bytes},
                                                     {"milliseconds", duration},
                                                     {"client", record.clientAddress},
                                                     {"principal", record.principalId}}};
    const std::size_t count = record.principalId.empty() ? fields.size() - 1 : fields.size();
    emit({_clock.now(), LogLevel::Information, record.service, record.requestId, "request", std::span(fields).first(count)});
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

LogScope::LogScope(std::string_view requestId) noexcept : _outer(currentRequest) { currentRequest = requestId; }

LogScope::~LogScope() { currentRequest = _outer; }

std::string_view LogScope::current() noexcept { return currentRequest; }

void ServiceLogger::write(LogLevel level, std::string_view text, Fields fields)
{
    _sink.write(level, _serviceId, text, {fields.begin(), fields.size()});
}

} // namespace portico::host::platform
