#include "host/platform/outbound/OtlpJson.h"

#include <boost/json.hpp>

#include <map>

namespace portico::host::platform
{

namespace json = boost::json;

namespace
{

/// What clients send need not be UTF-8; JSON must be.
std::string printable(std::string_view text)
{
    std::string out;
    for (const char c : text) out.push_back(c >= 0x20 && c < 0x7F ? c : '?');
    return out;
}

json::object attribute(std::string_view key, std::string_view value)
{
    return {{"key", key}, {"value", {{"stringValue", printable(value)}}}};
}

json::object attribute(std::string_view key, const tracing::Span::Value& value)
{
    if (const auto* text = std::get_if<std::string>(&value)) return attribute(key, std::string_view(*text));
    // 64-bit numbers are text in protobuf's JSON.
    return {{"key", key}, {"value", {{"intValue", std::to_string(std::get<std::int64_t>(value))}}}};
}

std::string nanoseconds(std::chrono::system_clock::time_point time)
{
    return std::to_string(std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count());
}

json::object spanJson(const tracing::Span& span)
{
    json::array attributes;
    for (const auto& [key, value] : span.attributes) attributes.push_back(attribute(key, value));
    json::object object{{"traceId", tracing::toHex(span.context.traceId)},
                        {"spanId", tracing::toHex(span.context.spanId)},
                        {"name", printable(span.name)},
                        {"kind", static_cast<int>(span.kind)},
                        {"startTimeUnixNano", nanoseconds(span.begin)},
                        {"endTimeUnixNano", nanoseconds(span.begin + span.took)},
                        {"attributes", std::move(attributes)},
                        {"status", span.failed ? json::object{{"code", 2}} : json::object{}}};
    if (!tracing::isZero(span.parent)) object["parentSpanId"] = tracing::toHex(span.parent);
    return object;
}

} // namespace

std::string toOtlpJson(std::span<const tracing::Span> spans, const TraceResource& resource)
{
    std::map<std::string_view, json::array> byService;
    for (const auto& span : spans) byService[span.service.empty() ? "host" : std::string_view(span.service)].push_back(spanJson(span));
    json::array resources;
    for (auto& [service, recorded] : byService)
        resources.push_back({{"resource",
                              {{"attributes",
                                {attribute("service.namespace", std::string_view("portico")), attribute("service.name", service),
                                 attribute("service.version", std::string_view(resource.version)),
                                 attribute("service.instance.id", std::string_view(resource.instance))}}}},
                             {"scopeSpans", {{{"scope", {{"name", "portico"}}}, {"spans", std::move(recorded)}}}}});
    return json::serialize(json::object{{"resourceSpans", std::move(resources)}});
}

} // namespace portico::host::platform
