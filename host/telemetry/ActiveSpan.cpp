#include "host/telemetry/ActiveSpan.h"

#include "host/base/Random.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>

namespace portico::host::tracing
{

namespace
{

thread_local const ActiveSpan* current = nullptr;

/// Random bytes of one thread, fetched many at a time: a system call for each id would cost more than all the rest of it.
class RandomBytes
{
public:
    void fill(std::span<unsigned char> bytes)
    {
        if (bytes.size() > _bytes.size() - _used) refill();
        std::copy_n(_bytes.begin() + static_cast<std::ptrdiff_t>(_used), bytes.size(), bytes.begin());
        _used += bytes.size();
    }

private:
    void refill()
    {
        randomBytes(_bytes);
        _used = 0;
    }

    std::array<unsigned char, 256> _bytes{};
    std::size_t _used = 256;
};

thread_local RandomBytes random;

template <class Id>
Id makeId()
{
    Id id{};
    // Zero means that there is none.
    while (std::all_of(id.begin(), id.end(), [](unsigned char byte) { return byte == 0; })) random.fill(id);
    return id;
}

} // namespace

TraceId makeTraceId() { return makeId<TraceId>(); }
SpanId makeSpanId() { return makeId<SpanId>(); }

TraceScope::TraceScope(const ActiveSpan& span) noexcept : _outer(tracing::current) { tracing::current = &span; }

TraceScope::~TraceScope() { tracing::current = _outer; }

const ActiveSpan* TraceScope::current() noexcept
{
    return tracing::current != nullptr && tracing::current->present ? tracing::current : nullptr;
}

ClientSpan::ClientSpan(const ActiveSpan* outer)
{
    if (outer == nullptr) return;
    _span = *outer;
    if (!recording()) return;
    _span.parent = outer->context.spanId;
    _span.context.spanId = makeSpanId();
    _record.kind = SpanKind::Client;
    _record.begin = std::chrono::system_clock::now();
}

ClientSpan::~ClientSpan()
{
    if (!recording()) return;
    _record.context = _span.context;
    // What it looks at ends with the request.
    _record.context.state = {};
    _record.parent = _span.parent;
    _record.took = std::chrono::system_clock::now() - _record.begin;
    _span.sink->take(std::move(_record));
}

} // namespace portico::host::tracing
