#include "portico/Jobs.h"

#include "portico/Problem.h"

#include <algorithm>

namespace portico
{

Jobs::~Jobs() = default;

std::string JobPulse::beat()
{
    const std::lock_guard lock(_mutex);
    try
    {
        if (_function) _function();
        return {};
    }
    catch (const std::exception& error)
    {
        return error.what();
    }
}

JobHeartbeat::JobHeartbeat(const Job& job, std::function<void()> function) : _pulse(job.pulse)
{
    if (!_pulse) return;
    const std::lock_guard lock(_pulse->_mutex);
    _pulse->_function = std::move(function);
}

JobHeartbeat::~JobHeartbeat()
{
    if (!_pulse) return;
    const std::lock_guard lock(_pulse->_mutex);
    _pulse->_function = nullptr;
}

JobRetry::JobRetry(std::chrono::milliseconds wait, std::optional<Instant> time, std::string_view why) : _why(why), _wait(wait), _time(time)
{
}
JobRetry::JobRetry(const JobRetry&) = default;
JobRetry::~JobRetry() = default;

JobRetry JobRetry::after(std::chrono::milliseconds wait, std::string_view why) { return {wait, std::nullopt, why}; }
JobRetry JobRetry::at(Instant time, std::string_view why) { return {std::chrono::milliseconds(0), time, why}; }

JobRetry JobRetry::uncounted() const
{
    auto copy = *this;
    copy._counts = false;
    return copy;
}

std::chrono::milliseconds JobRetry::wait(Instant now) const noexcept
{
    return std::max(std::chrono::milliseconds(0), _time ? std::chrono::milliseconds(*_time - now) : _wait);
}

JobFailed::JobFailed(std::string_view why) : _why(why) {}
JobFailed::JobFailed(const JobFailed&) = default;
JobFailed::~JobFailed() = default;

namespace detail
{

void readPayload(const Job& job, const Type& type, void* record)
{
    try
    {
        readJson(job.payload, type, record, ReadMode::Stored);
        Faults faults;
        validateRecord(type, record, faults);
        faults.raise();
    }
    catch (const Problem& problem)
    {
        auto text = "the payload is no " + std::string(type.name) + ": " + problem.detail();
        for (const auto& error : problem.errors()) text += "; " + error.field + ": " + error.message;
        throw JobFailed(text);
    }
}

std::string writePayload(const Type& type, const void* record)
{
    std::string text;
    writeStored(text, type, record);
    return text;
}

} // namespace detail

} // namespace portico
