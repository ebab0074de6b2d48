#include "host/telemetry/LogSink.h"

#include "host/base/Text.h"
#include "host/telemetry/LogTail.h"
#include "host/telemetry/Tracer.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include <unistd.h>

namespace portico::host::telemetry
{

namespace
{

constexpr std::array<std::string_view, 4> levelNames = {"debug", "information", "warning", "error"};
/// Members of a JSON line that a field's name must not repeat.
constexpr std::array<std::string_view, 4> ownNames = {"time", "level", "service", "message"};

std::string_view nameOf(LogLevel level) noexcept { return levelNames[static_cast<std::size_t>(level)]; }

void appendHex(std::string& out, unsigned char byte)
{
    constexpr std::string_view digits = "0123456789abcdef";
    out += "\\u00";
    out += digits[byte >> 4U];
    out += digits[byte & 0xFU];
}

/// The inside of a JSON string; text lines use the same escapes. C1 controls (0xC2 0x80…) are escaped too: terminals obey them.
void appendEscaped(std::string& out, std::string_view text)
{
    for (std::size_t i = 0; i < text.size();)
    {
        const auto byte = static_cast<unsigned char>(text[i]);
        const auto length = utf8Length(text.substr(i));
        const bool c1Control = byte == 0xC2 && length == 2 && static_cast<unsigned char>(text[i + 1]) < 0xA0;
        if (length == 0)
            appendHex(out, byte);
        else if (c1Control)
            appendHex(out, static_cast<unsigned char>(text[i + 1]));
        else if (byte == '\n')
            out += "\\n";
        else if (byte == '\t')
            out += "\\t";
        else if (byte < 0x20 || byte == 0x7F)
            appendHex(out, byte);
        else
        {
            if (byte == '"' || byte == '\\') out += '\\';
            out += text.substr(i, length);
        }
        i += std::max<std::size_t>(length, 1);
    }
}

void appendQuoted(std::string& out, std::string_view text)
{
    out += '"';
    appendEscaped(out, text);
    out += '"';
}

bool isPlainWord(std::string_view text) noexcept
{
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7F && c != '"' && c != '=' && c != '\\'; });
}

void appendWord(std::string& out, std::string_view text)
{
    if (isPlainWord(text))
        out += text;
    else
        appendQuoted(out, text);
}

void appendPair(std::string& out, std::string_view name, std::string_view value)
{
    out += ' ';
    appendWord(out, name);
    out += '=';
    appendWord(out, value);
}

void appendMember(std::string& out, std::string_view name, std::string_view value)
{
    out += ',';
    const bool taken = std::find(ownNames.begin(), ownNames.end(), name) != ownNames.end();
    appendQuoted(out, taken ? "field_" + std::string(name) : name);
    out += ':';
    appendQuoted(out, value);
}

/// Returns true for a field that identifies the record's subject, and is therefore not written among the others.
bool namesSubject(const LogRecord& record, std::string_view field) noexcept
{
    return field == "requestId" || field == "traceId" || (field == "service" && record.service.empty());
}

std::string textLine(const LogRecord& record)
{
    const auto subject = resolved(record);
    std::string line = toString(record.time);
    line += ' ';
    line += nameOf(record.level);
    line += ' ';
    appendWord(line, subject.service);
    line += ' ';
    appendEscaped(line, record.text);
    if (!subject.requestId.empty()) appendPair(line, "requestId", subject.requestId);
    if (!subject.traceId.empty()) appendPair(line, "traceId", subject.traceId);
    for (const auto& [name, value] : record.fields)
        if (!namesSubject(record, name)) appendPair(line, name, value);
    line += '\n';
    return line;
}

std::string jsonLine(const LogRecord& record)
{
    const auto subject = resolved(record);
    std::string line = R"({"time":")" + toString(record.time) + R"(","level":")";
    line += nameOf(record.level);
    line += R"(","service":)";
    appendQuoted(line, subject.service);
    if (!subject.requestId.empty()) appendMember(line, "requestId", subject.requestId);
    if (!subject.traceId.empty()) appendMember(line, "traceId", subject.traceId);
    line += R"(,"message":)";
    appendQuoted(line, record.text);
    for (const auto& [name, value] : record.fields)
        if (!namesSubject(record, name)) appendMember(line, name, value);
    line += "}\n";
    return line;
}

/// syslog's numbers of debug, informational, warning and error.
constexpr std::array<std::string_view, 4> priorities = {"<7>", "<6>", "<4>", "<3>"};

/// Writes the text, or as much as the reader takes. A failure of the log cannot be logged.
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

std::optional<LogLevel> parseLogLevel(std::string_view text) noexcept
{
    const auto found = std::find(levelNames.begin(), levelNames.end(), text);
    if (found == levelNames.end()) return std::nullopt;
    return static_cast<LogLevel>(found - levelNames.begin());
}

std::optional<LogFormat> parseLogFormat(std::string_view text) noexcept
{
    if (text == "text") return LogFormat::Text;
    if (text == "json") return LogFormat::Json;
    return std::nullopt;
}

LogRecord resolved(LogRecord record)
{
    const bool fromHost = record.service.empty();
    for (const auto& [name, value] : record.fields)
    {
        if (name == "requestId") record.requestId = value;
        if (name == "traceId") record.traceId = value;
        if (name == "service" && fromHost) record.service = value;
    }
    if (record.service.empty()) record.service = "host";
    return record;
}

std::string formatLine(const LogRecord& record, LogFormat format)
{
    return format == LogFormat::Json ? jsonLine(record) : textLine(record);
}

void LogSink::write(LogLevel level, std::string_view service, std::string_view text, std::span<const LogRecord::Field> fields)
{
    if (!enabled(level)) return;
    const auto* request = RequestContext::request();
    const auto* trace = RequestContext::span();
    const auto traceId = trace == nullptr ? std::string() : toHex(trace->context.traceId);
    emit({_clock.now(), level, service, request == nullptr ? std::string_view() : request->requestId, text, fields, traceId});
}

void LogSink::emit(const LogRecord& record)
{
    if (_settings.tail) _settings.tail->add(record);
    std::string line;
    if (_settings.priorityPrefix) line = priorities[static_cast<std::size_t>(record.level)];
    line += formatLine(record, _settings.format);
    // Pipes keep only short writes whole: the mutex keeps the long ones from running into each other.
    const std::lock_guard lock(_mutex);
    writeAll(_settings.descriptor, line);
}

void ServiceLogger::write(LogLevel level, std::string_view text, Fields fields)
{
    _sink.write(level, _serviceId, text, {fields.begin(), fields.size()});
}

} // namespace portico::host::telemetry
