#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace portico::host::data
{

/// The prepared statements of one connection by their SQL text, least recently used dropped first. Most texts are literals, so a comparison
/// of addresses usually finds the statement; only a text at a new address is hashed. Not thread-safe, like its connection. A `Statement`
/// whose `isInUse()` is true is not dropped.
template <class Statement>
class StatementCache
{
public:
    explicit StatementCache(std::size_t capacity) : _capacity(capacity) {}

    /// The statement of this text, made the most recently used one; null if there is none.
    Statement* find(std::string_view sql)
    {
        Entry*& hint = hintFor(sql);
        if (hint && hint->sql == sql) return touch(*hint);
        auto found = _index.find(sql);
        if (found == _index.end()) return nullptr;
        hint = &*found->second;
        return touch(*hint);
    }

    /// Adds a statement whose text is not in the cache. A statement that is removed for it is passed to `dropped`.
    template <class F>
    Statement& insert(std::string_view sql, Statement statement, F&& dropped)
    {
        while (_entries.size() >= _capacity && evictOne(dropped)) {}
        _entries.push_front(Entry{std::string(sql), std::move(statement), {}});
        _entries.front().self = _entries.begin();
        _index.emplace(_entries.front().sql, _entries.begin());
        return _entries.front().statement;
    }

    void erase(std::string_view sql)
    {
        if (auto found = _index.find(sql); found != _index.end()) remove(found->second);
    }

    void clear() noexcept
    {
        _hints.fill({});
        _index.clear();
        _entries.clear();
    }

    std::size_t size() const noexcept { return _entries.size(); }

private:
    struct Entry
    {
        std::string sql;
        Statement statement;
        typename std::list<Entry>::iterator self;
    };

    Entry*& hintFor(std::string_view sql) noexcept
    {
        auto address = reinterpret_cast<std::uintptr_t>(sql.data());
        return _hints[((address >> 4) ^ (address >> 10) ^ sql.size()) % _hints.size()];
    }

    Statement* touch(Entry& entry)
    {
        _entries.splice(_entries.begin(), _entries, entry.self);
        return &entry.statement;
    }

    template <class F>
    bool evictOne(F& dropped)
    {
        for (auto entry = _entries.rbegin(); entry != _entries.rend(); ++entry)
        {
            if (entry->statement.isInUse()) continue;
            dropped(entry->statement);
            remove(entry->self);
            return true;
        }
        return false;
    }

    void remove(typename std::list<Entry>::iterator entry)
    {
        std::ranges::replace(_hints, &*entry, nullptr);
        _index.erase(entry->sql);
        _entries.erase(entry);
    }

    std::size_t _capacity;
    std::list<Entry> _entries;
    std::unordered_map<std::string_view, typename std::list<Entry>::iterator> _index;
    std::array<Entry*, 64> _hints{};
};

} // namespace portico::host::data
