#include "host/http/ResponsePlan.h"

#include "host/http/ContentCoding.h"
#include "host/http/Fault.h"
#include "host/http/HttpDate.h"
#include "host/http/Preconditions.h"

#include <utility>

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

std::string lastModified(const FileBody& file)
{
    return formatHttpDate(std::chrono::floor<std::chrono::seconds>(file.modified).time_since_epoch().count());
}

} // namespace

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
    // Here and not after the sending: giving back what a source holds may take time, and this is a worker's.
    if (body == Body::None) response.source.reset();
    if (body != Body::Live) response.live.reset();
}

void ResponsePlan::makeFile(Exchange& exchange, Application& application)
{
    const auto& file = *exchange.response.file;
    body = Body::File;
    length = file.size;
    if (file.modified != Instant{}) headers.append("Last-Modified: ").append(lastModified(file)).append("\r\n");
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
    {
        response.source = std::make_unique<EncodedSource>(std::move(response.source), coding);
        return;
    }
    std::string encoded;
    Encoder::make(coding)->encode(response.body, true, encoded);
    response.body = std::move(encoded);
}

} // namespace portico::host::http
