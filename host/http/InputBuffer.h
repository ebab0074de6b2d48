#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace portico::host::http
{

/// Bytes on the heap that do not move while somebody holds views into them.
using Block = std::unique_ptr<char[]>;

/// Blocks of one size that connections of one loop borrow while they have something to read. One thread.
class BlockPool
{
public:
    /// Holds nearly every request head at once; small, because a slow client holds one.
    static constexpr std::size_t blockBytes = 4096;

    Block take();
    void give(Block block);

private:
    static constexpr std::size_t maxKept = 256;
    std::vector<Block> _free;
};

/// What a connection has received and not yet used. Holds no memory while it is empty and released.
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

    /// Gives the block away, so that views into it stay valid; what was not used moves to a new block of `capacity` or more.
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
