#include "host/data/RequestReads.h"

#include <algorithm>

namespace portico::host::data
{

namespace
{

/// Validity of the numbers: a handler that runs longer sees later changes.
constexpr std::chrono::seconds servesFor{1};

thread_local RequestReads* ofThread = nullptr;

} // namespace

RequestReads::Scope::Scope(RequestReads& reads, bool mayWait) noexcept : _outer(ofThread)
{
    reads._mayWait = mayWait;
    reads._refused = false;
    ofThread = &reads;
}

RequestReads::Scope::~Scope() { ofThread = _outer; }

RequestReads* RequestReads::current() noexcept { return ofThread; }

bool RequestReads::find(std::string_view serviceId, std::string_view statement, std::span<const std::string_view> keys,
                        std::span<std::int64_t> numbers) const
{
    return Clock::now() - _begun <= servesFor && findOfAnyAge(serviceId, statement, keys, numbers);
}

bool RequestReads::findOfAnyAge(std::string_view serviceId, std::string_view statement, std::span<const std::string_view> keys,
                                std::span<std::int64_t> numbers) const
{
    if (_wanted || _count == 0 || _serviceId != serviceId || _statement != statement) return false;
    const std::span known(_numbers.data(), _count);
    for (std::size_t i = 0; i < keys.size(); ++i)
    {
        const auto found = std::ranges::find(known, keys[i], &std::pair<std::string, std::int64_t>::first);
        if (found == known.end()) return false;
        numbers[i] = found->second;
    }
    if (_failure) throw DatabaseError(_failure->kind, _failure->sqlState, {}, _failure->text);
    return true;
}

void RequestReads::want(std::string_view serviceId, std::string_view statement, std::span<const std::string_view> keys)
{
    _serviceId = serviceId;
    _statement = statement;
    _count = keys.size();
    if (_numbers.size() < _count) _numbers.resize(_count);
    for (std::size_t i = 0; i < _count; ++i)
    {
        _numbers[i].first = keys[i];
        _numbers[i].second = 0;
    }
    _failure.reset();
    _wanted = true;
}

void RequestReads::forget() noexcept
{
    _count = 0;
    _wanted = false;
    _failure.reset();
}

void RequestReads::clear() noexcept
{
    forget();
    _refused = false;
}

} // namespace portico::host::data
