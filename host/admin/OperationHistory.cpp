#include "host/admin/OperationHistory.h"

#include "host/base/DurableFiles.h"
#include "host/base/FileDescriptor.h"

#include "portico/Instant.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace portico::host::admin
{

namespace json = boost::json;

json::object operationJson(const plugins::OperationResult& operation)
{
    json::array steps;
    std::chrono::microseconds took{0};
    for (const auto& step : operation.steps)
    {
        took += step.took;
        steps.push_back({{"name", step.name},
                         {"service", step.serviceId},
                         {"ok", step.succeeded},
                         {"microseconds", step.took.count()},
                         {"detail", step.message}});
    }
    return {{"id", operation.id},
            {"command", operation.command},
            {"service", operation.serviceId},
            {"status", operation.succeeded ? "done" : "failed"},
            {"microseconds", took.count()},
            {"requestedBy", operation.requestedBy},
            {"steps", std::move(steps)},
            {"messages", json::array(operation.messages.begin(), operation.messages.end())}};
}

OperationHistory::OperationHistory(std::filesystem::path file, Logger& log, Limits limits)
    : _file(std::move(file)), _log(log), _limits(limits)
{
    read();
}

void OperationHistory::read()
{
    // A device may be endless: /dev/full returns zeros until memory is exhausted.
    std::error_code absent;
    if (!std::filesystem::is_regular_file(_file, absent)) return;
    std::deque<std::string> newest;
    std::ifstream stream(_file);
    for (std::string line; std::getline(stream, line); ++_lines)
    {
        newest.push_back(std::move(line));
        if (newest.size() > _limits.remembered) newest.pop_front();
    }
    for (const auto& line : newest)
    {
        json::error_code error;
        auto value = json::parse(line, error);
        const auto* number = !error && value.is_object() ? value.get_object().if_contains("id") : nullptr;
        if (!number || !number->is_int64()) continue;
        _last = std::max(_last, number->get_int64());
        _operations.push_front(std::move(value.get_object()));
    }
    if (_lines > _limits.lines) dropOlderHalf();
}

json::object OperationHistory::add(const plugins::OperationResult& operation, Instant now)
{
    auto entry = operationJson(operation);
    entry["endedAt"] = toString(now);
    const std::lock_guard lock(_mutex);
    entry["id"] = ++_last;
    append(json::serialize(entry) + "\n");
    _operations.push_front(entry);
    if (_operations.size() > _limits.remembered) _operations.pop_back();
    return entry;
}

void OperationHistory::append(const std::string& line)
{
    const FileDescriptor file(::open(_file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR));
    const auto size = file ? ::lseek(file.get(), 0, SEEK_END) : -1;
    try
    {
        if (!file) throw std::system_error(errno, std::generic_category());
        file.writeAll(line, _file);
    }
    catch (const std::system_error& error)
    {
        // Half a line would spoil the next one.
        if (file && ::ftruncate(file.get(), size) != 0) _log.warning("the list of operations has half a line");
        return _log.warning("an operation could not be written down", {{"file", _file.string()}, {"reason", error.code().message()}});
    }
    if (++_lines > _limits.lines) dropOlderHalf();
}

void OperationHistory::dropOlderHalf()
{
    std::ifstream stream(_file);
    std::string kept;
    const auto dropped = _lines - _limits.lines / 2;
    std::string line;
    for (std::size_t number = 0; std::getline(stream, line); ++number)
        if (number >= dropped) kept.append(line).append("\n");
    try
    {
        replaceFile(_file, kept);
    }
    catch (const std::exception& error)
    {
        return _log.warning("the list of operations cannot be shortened", {{"file", _file.string()}, {"reason", error.what()}});
    }
    _lines -= dropped;
}

std::string OperationHistory::newestTime() const
{
    const std::lock_guard lock(_mutex);
    const auto* time = _operations.empty() ? nullptr : _operations.front().if_contains("endedAt");
    return time && time->is_string() ? std::string(time->get_string()) : std::string();
}

json::array OperationHistory::list(std::size_t limit, std::string_view service) const
{
    const std::lock_guard lock(_mutex);
    json::array operations;
    for (const auto& operation : _operations)
    {
        if (operations.size() == limit) break;
        const auto* of = operation.if_contains("service");
        if (service.empty() || (of && of->is_string() && of->get_string() == service)) operations.emplace_back(operation);
    }
    return operations;
}

} // namespace portico::host::admin
