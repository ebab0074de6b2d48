#pragma once

#include "portico/Database.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::host::data
{

/// Numbers that `SharedReads` has read for one request, by a statement that began after the request had arrived. One thread at a time.
class RequestReads
{
public:
    /// Makes it the one of the current thread. Scopes nest.
    class Scope
    {
    public:
        /// @param mayWait false on an event loop
        Scope(RequestReads& reads, bool mayWait) noexcept;
        ~Scope();
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

    private:
        RequestReads* const _outer;
    };
    /// Null outside of all scopes.
    static RequestReads* current() noexcept;

    bool mayWait() const noexcept { return _mayWait; }
    /// On an event loop: the request needs what has to be waited for.
    void refuse() noexcept { _refused = true; }
    bool refused() const noexcept { return _refused; }

    /// Sets the numbers if all were read for the request not long ago.
    /// @throws DatabaseError when the statement had failed
    bool find(std::string_view serviceId, std::string_view statement, std::span<const std::string_view> keys,
              std::span<std::int64_t> numbers) const;
    /// Like `find`, for a caller that has waited for these numbers: a slow statement does not make them useless.
    bool findOfAnyAge(std::string_view serviceId, std::string_view statement, std::span<const std::string_view> keys,
                      std::span<std::int64_t> numbers) const;
    /// Notes what the request needs.
    void want(std::string_view serviceId, std::string_view statement, std::span<const std::string_view> keys);
    /// True if a wanted number has not been read.
    bool wants() const noexcept { return _wanted; }
    /// The transaction that the request begins may change what was read.
    void forget() noexcept;
    void clear() noexcept;

private:
    friend class SharedReads;
    using Clock = std::chrono::steady_clock;

    struct Failure
    {
        DatabaseError::Kind kind;
        std::string sqlState;
        std::string text;
    };

    std::string _serviceId;
    std::string _statement;
    std::vector<std::pair<std::string, std::int64_t>> _numbers;
    /// Number of them that belong to this request; the rest only keep their memory.
    std::size_t _count = 0;
    Clock::time_point _begun{};
    std::optional<Failure> _failure;
    bool _wanted = false;
    bool _mayWait = true;
    bool _refused = false;
};

} // namespace portico::host::data
