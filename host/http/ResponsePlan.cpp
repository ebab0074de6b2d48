#include "host/http/ResponsePlan.h"

#include "host/http/Characters.h"
#include "host/http/ContentCoding.h"
#include "host/http/RequestHead.h"

#include <algorithm>
#include <utility>

#include <Poco/DateTime.h>
#include <Poco/DateTimeFormat.h>
#include <Poco/DateTimeFormatter.h>
#include <Poco/DateTimeParser.h>

namespace portico::host::http
{

namespace
{

/// Compressing this much takes a loop about a millisecond.
constexpr std::size_t maxCompressedOnLoop = 64 * 1024;

bool mayCompress(const Response& response)
{
    return response.status >= 200 && response.status != 206 && isCompressible(response.contentType) &&
           !response.hasHeader("Content-Encoding") && response.cacheControl.find("no-transform") == std::string::npos;
}

/// The preferred form only (RFC 9110, 5.6.7): clients send back what they were given. Empty for anything else.
std::optional<std::time_t> parseHttpDate(std::string_view text)
{
    Poco::DateTime date;
    int zone = 0;
    if (text.size() != 29 || !Poco::DateTimeParser::tryParse(Poco::DateTimeFormat::HTTP_FORMAT, std::string(text), date, zone))
        return std::nullopt;
    const auto seconds = date.timestamp().epochTime();
    return formatHttpDate(seconds) == text ? std::optional(seconds) : std::nullopt;
}

std::time_t seconds(Instant instant) noexcept { return std::chrono::floor<std::chrono::seconds>(instant).time_since_epoch().count(); }

bool ifRangeHolds(const Request& request, const Response& response)
{
    const auto condition = request.header("If-Range");
    if (condition.empty()) return true;
    if (condition.ends_with('"')) return condition == response.etag && !condition.starts_with("W/");
    const auto date = parseHttpDate(condition);
    return date && response.file->modified != Instant{} && *date == seconds(response.file->modified);
}

/// The part of a file that a Range header requests.
struct ByteRange
{
    enum class Answer : std::uint8_t
    {
        Whole, ///< None asked, not understood, several, or If-Range does not hold.
        Part,
        Unsatisfiable
    };
    Answer answer = Answer::Whole;
    std::uint64_t first = 0;
    std::uint64_t length = 0;
};

ByteRange part(std::uint64_t first, std::uint64_t length) noexcept
{
    if (length == 0) return {.answer = ByteRange::Answer::Unsatisfiable};
    return {ByteRange::Answer::Part, first, length};
}

/// One of `first-last`, `first-` and `-count`.
ByteRange parseRange(std::string_view text, std::uint64_t size)
{
    const auto dash = text.find('-');
    if (dash == std::string_view::npos) return {};
    const auto first = parseNumber<std::uint64_t>(text.substr(0, dash));
    const auto last = parseNumber<std::uint64_t>(text.substr(dash + 1));
    if (dash == 0)
    {
        if (!last) return {};
        const auto count = std::min(*last, size);
        return part(size - count, count);
    }
    if (!first || (!last && dash + 1 < text.size()) || (last && *last < *first)) return {};
    if (*first >= size) return {.answer = ByteRange::Answer::Unsatisfiable};
    return part(*first, last ? std::min(*last, size - 1) - *first + 1 : size - *first);
}

/// True if the client has this representation already (RFC 9110, 13.1.2 and 13.1.3): If-None-Match against the response's entity tag or,
/// if that is not sent, If-Modified-Since against the file's time.
bool isNotModified(const Request& request, const Response& response)
{
    if (request.hasHeader("If-None-Match")) return namesEntityTag(request.header("If-None-Match"), response.etag);
    if (!response.file || response.file->modified == Instant{}) return false;
    const auto since = parseHttpDate(request.header("If-Modified-Since"));
    return since && seconds(response.file->modified) <= *since;
}

/// @param response Has a file.
ByteRange requestedRange(const Request& request, const Response& response)
{
    constexpr std::string_view unit = "bytes=";
    const auto range = request.header("Range");
    if (!equalsIgnoreCase(range.substr(0, unit.size()), unit) || range.find(',') != std::string_view::npos) return {};
    if (!ifRangeHolds(request, response)) return {};
    return parseRange(trimmed(range.substr(unit.size())), response.file->size);
}

} // namespace

std::string formatHttpDate(std::time_t seconds)
{
    return Poco::DateTimeFormatter::format(Poco::Timestamp::fromEpochTime(seconds), Poco::DateTimeFormat::HTTP_FORMAT);
}

void ResponsePlan::clear()
{
    body = Body::None;
    length.reset();
    fileOffset = 0;
    headers.clear();
    weakTag = false;
}

void ResponsePlan::makePlain(const Exchange& exchange)
{
    clear();
    length = exchange.response.body.size();
    body = Body::Memory;
    if (exchange.request.method == Method::Head) body = Body::None;
}

void ResponsePlan::make(Exchange& exchange, const ServerSettings& settings, Application& application, bool onLoop)
{
    clear();
    Response& response = exchange.response;
    const auto method = exchange.request.method;
    const bool reads = method == Method::Get || method == Method::Head;
    if (response.status == 200 && reads && isNotModified(exchange.request, response)) response.status = 304;
    if (response.file)
        makeFile(exchange, application);
    else if (response.live)
        body = Body::Live;
    else
        makeText(exchange, settings, onLoop);
    if (response.status == 204 || response.status == 304) length.reset();
    if (response.status == 204 || response.status == 304 || method == Method::Head) body = Body::None;
    // Released here, on a worker, since releasing a source may take time.
    if (body == Body::None) response.source.reset();
    if (body != Body::Live) response.live.reset();
}

void ResponsePlan::makeFile(Exchange& exchange, Application& application)
{
    const auto& file = *exchange.response.file;
    body = Body::File;
    length = file.size;
    if (file.modified != Instant{}) headers.append("Last-Modified: ").append(formatHttpDate(seconds(file.modified))).append("\r\n");
    if (exchange.response.status != 200) return;
    headers += "Accept-Ranges: bytes\r\n";
    if (exchange.request.method != Method::Get) return;
    const auto range = requestedRange(exchange.request, exchange.response);
    if (range.answer == ByteRange::Answer::Unsatisfiable) return makeUnsatisfiable(exchange, application);
    if (range.answer == ByteRange::Answer::Whole) return;
    exchange.response.status = 206;
    fileOffset = range.first;
    length = range.length;
    headers += "Content-Range: bytes " + std::to_string(range.first) + '-' + std::to_string(range.first + range.length - 1) + '/' +
               std::to_string(file.size) + "\r\n";
}

void ResponsePlan::makeUnsatisfiable(Exchange& exchange, Application& application)
{
    const auto size = exchange.response.file->size;
    const auto fault = Fault::range();
    exchange.response.clear();
    application.refuse(exchange, fault.status, fault.code, fault.detail);
    makePlain(exchange);
    headers = "Content-Range: bytes */" + std::to_string(size) + "\r\n";
}

void ResponsePlan::makeText(Exchange& exchange, const ServerSettings& settings, bool onLoop)
{
    const Response& response = exchange.response;
    body = response.source ? Body::Source : Body::Memory;
    if (settings.compression && (response.source || response.body.size() >= settings.compressionBytes) && mayCompress(response))
        compress(exchange, onLoop);
    else if (response.source)
        length = response.source->size();
    if (body == Body::Memory) length = response.body.size();
}

void ResponsePlan::compress(Exchange& exchange, bool onLoop)
{
    Response& response = exchange.response;
    headers += "Vary: Accept-Encoding\r\n";
    if (response.source) length = response.source->size();
    const auto coding = AcceptedCodings(exchange.request).best();
    if (coding == ContentCoding::Identity || response.status == 304) return;
    if (onLoop && response.body.size() > maxCompressedOnLoop) return;
    headers.append("Content-Encoding: ").append(name(coding)).append("\r\n");
    weakTag = true;
    length.reset();
    if (response.source)
        response.source = compressed(std::move(response.source), coding);
    else
        response.body = compressed(response.body, coding);
}

} // namespace portico::host::http
