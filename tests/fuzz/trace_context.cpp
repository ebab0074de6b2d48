#include "fuzz/Require.h"

#include "host/telemetry/Tracer.h"

#include <array>
#include <string>

namespace
{

using namespace portico::host::telemetry;
using portico::fuzz::require;

class Kept final : public SpanSink
{
public:
    void take(Span) noexcept override {}
};

} // namespace

/// `traceparent` up to the first line break, `tracestate` behind it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string text(portico::fuzz::textOf(data, size));
    const auto end = text.find('\n');
    const auto parent = std::string_view(text).substr(0, end);
    const auto state = end == std::string::npos ? std::string_view() : std::string_view(text).substr(end + 1);
    const std::array<portico::HeaderField, 2> headers{{{"traceparent", parent}, {"tracestate", state}}};

    const auto context = parseTraceparent(parent);
    std::string joined;
    const auto passedOn = Tracer().begin(headers, joined);
    require(passedOn.present == context.has_value());
    if (context)
    {
        require(parent.size() >= 55 && !isZero(context->spanId));
        // The context that is sent on reads back unchanged.
        require(parseTraceparent(toTraceparent(*context)) == context);
        require(passedOn.context.state == (isTracestate(state) ? state : std::string_view()));
    }
    // Nothing that could end a header line.
    if (isTracestate(state)) require(state.size() <= 512 && state.find_first_of("\r\n") == std::string_view::npos);

    Kept sink;
    const auto begun = Tracer(sink, 1).begin(headers, joined);
    require(begun.present && !isZero(begun.context.spanId));
    if (context) require(begun.context.traceId == context->traceId);
    return 0;
}
