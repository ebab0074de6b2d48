#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::host::http
{

/// Bytes on the heap that do not move while views into them exist.
using Block = std::unique_ptr<char[]>;

/// Things that connections of one loop borrow while they have something to do, kept for the next. One thread.
template <class T>
class LoopPool
{
public:
    /// @param make Called where none is left.
    template <class Make>
    T take(Make make)
    {
        if (_free.empty()) return make();
        T thing = std::move(_free.back());
        _free.pop_back();
        return thing;
    }
    void give(T thing)
    {
        if (_free.size() < maxKept) _free.push_back(std::move(thing));
    }

private:
    static constexpr std::size_t maxKept = 256;
    std::vector<T> _free;
};

/// Size of pooled blocks: enough for nearly every request head, and small, because each slow client occupies one.
inline constexpr std::size_t blockBytes = 4096;
using BlockPool = LoopPool<Block>;

/// Received bytes that the connection has not processed yet. Uses no memory while it is empty and released.
class InputBuffer
{
public:
    std::string_view data() const noexcept { return {_block.get() + _begin, _end - _begin}; }
    bool empty() const noexcept { return _begin == _end; }
    void consume(std::size_t bytes) noexcept { _begin += bytes; }

    /// Free space of at least one byte, made by moving or growing: views into the buffer become invalid.
    std::span<char> space(BlockPool& pool);
    /// `bytes` more of `space` were filled.
    void filled(std::size_t bytes) noexcept { _end += bytes; }

    /// Hands over the block, so that views into it stay valid. Unprocessed bytes move to a new block of `capacity` or more.
    Block detach(std::size_t capacity);
    /// Gives an unused block back. Only while the buffer is empty.
    void release(BlockPool& pool);

private:
    Block _block;
    std::size_t _capacity = 0;
    std::size_t _begin = 0;
    std::size_t _end = 0;
};

} // namespace portico::host::http
