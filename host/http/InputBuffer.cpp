#include "host/http/InputBuffer.h"

#include <algorithm>
#include <cstring>

namespace portico::host::http
{

std::span<char> InputBuffer::space(BlockPool& pool)
{
    if (!_block)
    {
        _block = pool.take([] { return Block(new char[blockBytes]); });
        _capacity = blockBytes;
    }
    if (_begin == _end) _begin = _end = 0;
    if (_end == _capacity && _begin > 0)
    {
        std::memmove(_block.get(), _block.get() + _begin, _end - _begin);
        _end -= std::exchange(_begin, 0);
    }
    // The full block is freed, not pooled: `detach` keeps its contents.
    if (_end == _capacity) detach(_capacity * 2);
    return {_block.get() + _end, _capacity - _end};
}

Block InputBuffer::detach(std::size_t capacity)
{
    const auto unused = _end - _begin;
    capacity = std::max(capacity, unused);
    Block fresh(new char[capacity]);
    std::memcpy(fresh.get(), _block.get() + _begin, unused);
    _begin = 0;
    _end = unused;
    _capacity = capacity;
    return std::exchange(_block, std::move(fresh));
}

void InputBuffer::release(BlockPool& pool)
{
    if (_block && _capacity == blockBytes) pool.give(std::move(_block));
    _block.reset();
    _capacity = _begin = _end = 0;
}

} // namespace portico::host::http
