#include "host/data/SharedReads.h"

#include <algorithm>
#include <future>
#include <map>
#include <string>
#include <utility>

#include <pthread.h>

namespace portico::host::data
{

namespace
{

constexpr std::size_t statementsAtATime = 2;
/// From the beginning of one statement to that of the next: fewer than 2,000 a second.
constexpr std::chrono::microseconds betweenStatements{600};

/// `{"a","b"}`
void appendElement(std::string& array, std::string_view key)
{
    array += array.empty() ? "{\"" : ",\"";
    for (const char c : key)
    {
        if (c == '"' || c == '\\') array += '\\';
        array += c;
    }
    array += '"';
}

} // namespace

bool SharedReads::read(std::string_view serviceId, std::string_view statement, std::span<const std::string_view> keys,
                       std::span<std::int64_t> numbers)
{
    auto* const request = RequestReads::current();
    if (request != nullptr && request->find(serviceId, statement, keys, numbers)) return true;
    if (request != nullptr && !request->mayWait())
    {
        request->want(serviceId, statement, keys);
        request->refuse();
        return false;
    }
    RequestReads own;
    auto& reads = request != nullptr ? *request : own;
    reads.want(serviceId, statement, keys);
    std::promise<void> answered;
    begin(reads, [&answered] { answered.set_value(); });
    answered.get_future().wait();
    return reads.findOfAnyAge(serviceId, statement, keys, numbers);
}

void SharedReads::begin(RequestReads& reads, std::function<void()> ready)
{
    std::vector<Waiting> refused;
    {
        const std::lock_guard lock(_mutex);
        if (_stopping)
            refused.push_back({&reads, std::move(ready)});
        else
        {
            while (_threads.size() < statementsAtATime)
            {
                _threads.emplace_back([this] { run(); });
                ::pthread_setname_np(_threads.back().native_handle(), "shared reads");
            }
            _waiting.push_back({&reads, std::move(ready)});
            _changed.notify_one();
        }
    }
    if (!refused.empty()) fail(refused, DatabaseError(DatabaseError::Kind::Unavailable, "57P01", {}, "the host stops"));
}

void SharedReads::stop() noexcept
{
    {
        const std::lock_guard lock(_mutex);
        _stopping = true;
        _changed.notify_all();
    }
    for (auto& thread : _threads) thread.join();
    _threads.clear();
}

void SharedReads::run()
{
    Lock lock(_mutex);
    while (true)
    {
        _changed.wait(lock, [this] { return _stopping || !_waiting.empty(); });
        if (_waiting.empty()) return;
        if (const auto now = Clock::now(); now < _next && !_stopping)
        {
            _changed.wait_until(lock, _next);
            continue;
        }
        _next = Clock::now() + betweenStatements;
        auto batch = takeBatch();
        // Other threads may wait for another statement.
        if (!_waiting.empty()) _changed.notify_one();
        lock.unlock();
        answer(batch);
        lock.lock();
    }
}

std::vector<SharedReads::Waiting> SharedReads::takeBatch()
{
    const auto& first = *_waiting.front().reads;
    const auto isSame = [&](const Waiting& waiting)
    { return waiting.reads->_serviceId == first._serviceId && waiting.reads->_statement == first._statement; };
    const auto others = std::stable_partition(_waiting.begin(), _waiting.end(), isSame);
    std::vector<Waiting> batch(std::make_move_iterator(_waiting.begin()), std::make_move_iterator(others));
    _waiting.erase(_waiting.begin(), others);
    return batch;
}

void SharedReads::answer(std::vector<Waiting>& batch)
{
    const auto begun = Clock::now();
    const std::string service = batch.front().reads->_serviceId;
    const auto count = static_cast<double>(batch.size());
    for (auto& waiting : batch) waiting.reads->_begun = begun;
    try
    {
        query(batch);
    }
    catch (const DatabaseError& error)
    {
        fail(batch, error);
        // Requests that arrived since then wait for the same server: they fail now instead of waiting for another failure.
        if (error.kind() == DatabaseError::Kind::Unavailable || error.kind() == DatabaseError::Kind::Busy)
        {
            std::vector<Waiting> late;
            {
                const std::lock_guard lock(_mutex);
                late.swap(_waiting);
            }
            fail(late, error);
        }
        batch.clear();
    }
    catch (const std::exception& error)
    {
        fail(batch, DatabaseError(DatabaseError::Kind::Other, "", {}, error.what()));
        batch.clear();
    }
    for (auto& waiting : batch)
    {
        waiting.reads->_wanted = false;
        waiting.ready();
    }
    _metrics.count("shared_read_statements_total", 1, {{"service", service}});
    _metrics.count("shared_reads_total", count, {{"service", service}});
}

void SharedReads::query(std::vector<Waiting>& batch) const
{
    const auto& first = *batch.front().reads;
    std::map<std::string_view, std::int64_t> numbers;
    for (const auto& waiting : batch)
        for (std::size_t i = 0; i < waiting.reads->_count; ++i) numbers.emplace(waiting.reads->_numbers[i].first, 0);
    std::string array;
    for (const auto& [key, number] : numbers) appendElement(array, key);
    array += '}';
    const auto database = _find(first._serviceId);
    if (!database) throw DatabaseError(DatabaseError::Kind::Unavailable, "", {}, "the database of the service is not open");
    {
        auto session = database->session();
        for (const Row row : session.query(first._statement, array))
            if (const auto found = numbers.find(row.text(0)); found != numbers.end()) found->second = row.get<std::int64_t>(1);
    }
    for (const auto& waiting : batch)
        for (std::size_t i = 0; i < waiting.reads->_count; ++i)
        {
            auto& [key, number] = waiting.reads->_numbers[i];
            number = numbers.find(key)->second;
        }
}

void SharedReads::fail(std::vector<Waiting>& batch, const DatabaseError& error)
{
    const auto now = Clock::now();
    for (auto& waiting : batch)
    {
        waiting.reads->_failure.emplace(RequestReads::Failure{error.kind(), error.sqlState(), error.what()});
        waiting.reads->_begun = now;
        waiting.reads->_wanted = false;
        waiting.ready();
    }
}

} // namespace portico::host::data
