#include "host/telemetry/Tracer.h"

#include "host/base/Random.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

namespace portico::host::telemetry
{

namespace
{

thread_local const RequestContext* currentContext = nullptr;

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
    // Zero means no id.
    while (std::all_of(id.begin(), id.end(), [](unsigned char byte) { return byte == 0; })) random.fill(id);
    return id;
}

/// Creates the record of a starting span.
Span recordOf(const ActiveSpan& span, SpanKind kind)
{
    Span record;
    record.context = span.context;
    // The text that it points to ends before the span is recorded.
    record.context.state = {};
    record.parent = span.parent;
    record.kind = kind;
    record.begin = std::chrono::system_clock::now();
    return record;
}

void tell(const ActiveSpan& span, Span&& record)
{
    record.took = std::chrono::system_clock::now() - record.begin;
    span.sink->take(std::move(record));
}

constexpr std::string_view parentHeader = "traceparent";
constexpr std::string_view stateHeader = "tracestate";

/// Gives the same result for every decision about one trace.
bool chosen(const TraceId& id, std::uint64_t oneIn) noexcept
{
    if (oneIn == 0) return false;
    std::uint64_t number = 0;
    std::memcpy(&number, id.data() + sizeof number, sizeof number);
    return number % oneIn == 0;
}

} // namespace

TraceId makeTraceId() { return makeId<TraceId>(); }
SpanId makeSpanId() { return makeId<SpanId>(); }

RequestContext::RequestContext(const system::HostRequest* request, const ActiveSpan& span) noexcept
    : _request(request), _span(span), _outer(currentContext)
{
    currentContext = this;
}

RequestContext::~RequestContext() { currentContext = _outer; }

const system::HostRequest* RequestContext::request() noexcept { return currentContext != nullptr ? currentContext->_request : nullptr; }

const ActiveSpan* RequestContext::span() noexcept
{
    return currentContext != nullptr && currentContext->_span.present ? &currentContext->_span : nullptr;
}

ClientSpan::ClientSpan(const ActiveSpan* outer)
{
    if (outer == nullptr) return;
    _span = *outer;
    if (!recording()) return;
    _span.parent = outer->context.spanId;
    _span.context.spanId = makeSpanId();
    _record = recordOf(_span, SpanKind::Client);
}

ClientSpan::~ClientSpan()
{
    if (recording()) tell(_span, std::move(_record));
}

ActiveSpan Tracer::begin(std::span<const HeaderField> headers, std::string& joined) const
{
    std::string_view parent;
    std::string_view state;
    int parents = 0;
    joined.clear();
    for (const auto& field : headers)
    {
        // The lengths differ from those of nearly all others, so few names are compared.
        if (field.name.size() == parentHeader.size() && equalsIgnoreCase(field.name, parentHeader))
        {
            parent = field.value;
            ++parents;
        }
        else if (field.name.size() == stateHeader.size() && equalsIgnoreCase(field.name, stateHeader))
        {
            // In order of arrival, as the recommendation requires.
            if (!state.empty()) joined = std::string(state).append(",").append(field.value);
            state = state.empty() ? field.value : joined;
        }
    }
    return parents == 1 ? goOn(parent, state) : beginRoot();
}

ActiveSpan Tracer::resume(std::string_view carried) const
{
    const auto blank = std::min(carried.size(), carried.find(' '));
    return goOn(carried.substr(0, blank), carried.substr(std::min(carried.size(), blank + 1)));
}

ActiveSpan Tracer::goOn(std::string_view parent, std::string_view state) const
{
    const auto incoming = parseTraceparent(parent);
    if (!incoming) return beginRoot();
    ActiveSpan span;
    span.present = true;
    span.context = *incoming;
    if (isTracestate(state)) span.context.state = state;
    if (_sink == nullptr || !incoming->sampled) return span;
    span.sink = _sink;
    span.parent = incoming->spanId;
    span.context.spanId = makeSpanId();
    return span;
}

std::string carriedTrace()
{
    const auto* current = RequestContext::span();
    if (current == nullptr) return {};
    auto text = toTraceparent(current->context);
    if (!current->context.state.empty()) text.append(" ").append(current->context.state);
    return text;
}

ActiveSpan Tracer::beginRoot() const
{
    ActiveSpan span;
    if (_sink == nullptr) return span;
    span.present = true;
    span.context.traceId = makeTraceId();
    span.context.spanId = makeSpanId();
    span.context.sampled = chosen(span.context.traceId, _sampleOneIn);
    if (span.context.sampled) span.sink = _sink;
    return span;
}

void finishServerSpan(const ActiveSpan& active, const system::HostRequest& request, int status,
                      std::chrono::steady_clock::duration took) noexcept
try
{
    if (active.sink == nullptr) return;
    auto span = recordOf(active, SpanKind::Server);
    const std::string method(name(request.method));
    // `GET /api/contacts/{id}`
    const auto pattern = request.route().substr(std::min(request.route().size(), request.route().find(' ') + 1));
    span.name = request.route().empty() ? method : std::string(request.route());
    span.service = request.originService;
    span.took = std::chrono::duration_cast<std::chrono::system_clock::duration>(took);
    span.begin -= span.took;
    const auto add = [&span](std::string_view key, std::string_view value)
    {
        if (!value.empty()) span.attributes.emplace_back(key, std::string(value));
    };
    add("http.request.method", method);
    add("http.route", pattern);
    // Never the query: people put secrets there.
    add("url.path", request.path);
    add("url.scheme", request.secure ? "https" : "http");
    add("client.address", request.clientAddress);
    add("portico.request_id", request.requestId);
    span.attributes.emplace_back("http.response.status_code", std::int64_t{status});
    span.failed = status >= 500;
    if (span.failed) add("error.type", std::to_string(status));
    active.sink->take(std::move(span));
}
catch (const std::exception&)
{
    // Without memory the span is dropped; the request was answered.
}

JobSpan::JobSpan(const Tracer& tracer, std::string_view service, std::string_view type, std::string_view id, std::string_view carried)
    : _span(tracer.resume(carried)), _context(_span)
{
    if (_span.sink == nullptr) return;
    _record = recordOf(_span, SpanKind::Consumer);
    _record.name = "job " + std::string(type);
    _record.service = service;
    _record.attributes = {{"portico.job.type", std::string(type)}, {"portico.job.id", std::string(id)}};
    _record.failed = true;
}

JobSpan::~JobSpan()
{
    if (_span.sink != nullptr) tell(_span, std::move(_record));
}

} // namespace portico::host::telemetry
