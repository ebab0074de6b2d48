#include "host/http/ResponseHead.h"

#include <array>
#include <charconv>

namespace portico::host::http
{

namespace
{

void appendNumber(std::string& out, std::uint64_t number)
{
    std::array<char, 20> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    out.append(digits.data(), end);
}

void appendHeader(std::string& out, std::string_view name, std::string_view value)
{
    out.append(name).append(": ").append(value).append("\r\n");
}

/// Which of the headers that the server adds the application has set.
struct OwnHeaders
{
    bool requestId = false;
    bool contentTypeOptions = false;
    bool referrerPolicy = false;
    bool strictTransport = false;

    explicit OwnHeaders(std::string_view block) noexcept
    {
        while (!block.empty())
        {
            const auto name = block.substr(0, block.find(':'));
            if (equalsIgnoreCase(name, "X-Request-Id")) requestId = true;
            if (equalsIgnoreCase(name, "X-Content-Type-Options")) contentTypeOptions = true;
            if (equalsIgnoreCase(name, "Referrer-Policy")) referrerPolicy = true;
            if (equalsIgnoreCase(name, "Strict-Transport-Security")) strictTransport = true;
            block.remove_prefix(block.find("\r\n") + 2);
        }
    }
};

void appendStatusLine(std::string& out, int status)
{
    if (status == 200)
    {
        out += "HTTP/1.1 200 OK\r\n";
        return;
    }
    out += "HTTP/1.1 ";
    appendNumber(out, static_cast<std::uint64_t>(status));
    out.append(" ").append(reason(status)).append("\r\n");
}

void appendFraming(std::string& out, const ResponsePlan& plan, const MessageContext& context)
{
    if (context.chunked)
        out += "Transfer-Encoding: chunked\r\n";
    else if (plan.length)
    {
        out += "Content-Length: ";
        appendNumber(out, *plan.length);
        out += "\r\n";
    }
    if (!context.keepAlive)
        out += "Connection: close\r\n";
    else if (context.http10)
        out += "Connection: keep-alive\r\n";
}

void appendRepresentation(std::string& out, const Response& response, const ResponsePlan& plan)
{
    if (!response.contentType.empty()) appendHeader(out, "Content-Type", response.contentType);
    if (!response.cacheControl.empty()) appendHeader(out, "Cache-Control", response.cacheControl);
    if (response.etag.empty()) return;
    out += plan.weakTag && !response.etag.starts_with("W/") ? "ETag: W/" : "ETag: ";
    out.append(response.etag).append("\r\n");
}

} // namespace

void appendResponseHead(std::string& out, const Exchange& exchange, const ResponsePlan& plan, const MessageContext& context)
{
    const Response& response = exchange.response;
    const OwnHeaders own(response.headerBlock());
    appendStatusLine(out, response.status);
    appendHeader(out, "Date", context.date);
    appendRepresentation(out, response, plan);
    appendFraming(out, plan, context);
    out += plan.headers;
    out += response.headerBlock();
    if (!own.requestId) appendHeader(out, "X-Request-Id", exchange.request.requestId);
    if (!own.contentTypeOptions) out += "X-Content-Type-Options: nosniff\r\n";
    if (!own.referrerPolicy) out += "Referrer-Policy: no-referrer\r\n";
    if (context.strictTransportSecurity > 0 && !own.strictTransport)
    {
        out += "Strict-Transport-Security: max-age=";
        appendNumber(out, static_cast<std::uint64_t>(context.strictTransportSecurity));
        out += "\r\n";
    }
    out += "\r\n";
}

} // namespace portico::host::http
