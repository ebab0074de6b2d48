#include "host/telemetry/LogTail.h"

#include "host/telemetry/LogSink.h"

#include <algorithm>
#include <array>

namespace portico::host::telemetry
{

namespace
{

/// Maximum length of each text: three texts fit even if each byte needs an escape of six.
constexpr std::size_t keptTextBytes = LogTail::maxRecordBytes / 24;

std::size_t memoryOf(const KeptRecord& record)
{
    // A short text is inside the record; a long one has a separate block.
    constexpr std::size_t block = 16;
    return sizeof record + record.service.capacity() + record.requestId.capacity() + record.line.capacity() + 3 * block;
}

/// The beginning, by whole characters.
std::string_view beginning(std::string_view text)
{
    auto size = std::min(text.size(), keptTextBytes);
    while (size > 0 && size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
    return text.substr(0, size);
}

std::string lineOf(const LogRecord& record)
{
    auto line = formatLine(record, LogFormat::Json);
    if (line.size() > LogTail::maxRecordBytes)
    {
        const std::array<LogRecord::Field, 1> cut{{{"cut", "the log has the whole record"}}};
        const auto subject = resolved(record);
        line =
            formatLine({record.time, record.level, beginning(subject.service), beginning(subject.requestId), beginning(record.text), cut},
                       LogFormat::Json);
    }
    line.pop_back();
    line.shrink_to_fit();
    return line;
}

bool agrees(const LogTail::Filter& filter, const KeptRecord& record)
{
    return record.level >= filter.level && (filter.service.empty() || record.service == filter.service) &&
           (filter.requestId.empty() || record.requestId == filter.requestId);
}

} // namespace

void LogTail::add(const LogRecord& record)
{
    // Made before the mutex is taken.
    const auto subject = resolved(record);
    KeptRecord kept{0, record.level, std::string(beginning(subject.service)), std::string(beginning(subject.requestId)), lineOf(record)};
    const auto bytes = memoryOf(kept);
    const std::lock_guard lock(_mutex);
    kept.number = _next++;
    _records.push_back(std::move(kept));
    _bytes += bytes;
    for (; _records.size() > maxRecords || _bytes > maxBytes; _records.pop_front()) _bytes -= memoryOf(_records.front());
}

LogTail::Page LogTail::read(const Filter& filter, std::int64_t after, std::size_t limit) const
{
    const std::lock_guard lock(_mutex);
    return after <= 0 || after >= _next ? newest(filter, limit) : following(filter, after, limit);
}

LogTail::Page LogTail::newest(const Filter& filter, std::size_t limit) const
{
    Page page;
    page.next = _next - 1;
    for (auto record = _records.rbegin(); record != _records.rend() && page.records.size() < limit; ++record)
        if (agrees(filter, *record)) page.records.push_back(*record);
    std::ranges::reverse(page.records);
    return page;
}

LogTail::Page LogTail::following(const Filter& filter, std::int64_t after, std::size_t limit) const
{
    Page page;
    // Numbers have no gaps.
    const auto first = _next - static_cast<std::int64_t>(_records.size());
    page.missed = std::max<std::int64_t>(first - 1 - after, 0);
    page.next = std::max(after, first - 1);
    for (auto at = static_cast<std::size_t>(page.next + 1 - first); at < _records.size() && page.records.size() < limit; ++at)
    {
        page.next = _records[at].number;
        if (agrees(filter, _records[at])) page.records.push_back(_records[at]);
    }
    return page;
}

std::size_t LogTail::bytes() const
{
    const std::lock_guard lock(_mutex);
    return _bytes;
}

} // namespace portico::host::telemetry
