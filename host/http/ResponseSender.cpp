#include "host/http/ResponseSender.h"

#include <algorithm>
#include <stdexcept>

namespace portico::host::http
{

namespace
{

void appendHeader(std::string& out, std::string_view name, std::string_view value)
{
    out.append(name).append(": ").append(value).append("\r\n");
}

void appendFraming(std::string& out, const ResponsePlan& plan, const MessageContext& context)
{
    if (context.chunked)
        out += "Transfer-Encoding: chunked\r\n";
    else if (plan.length)
        appendHeader(out, "Content-Length", std::to_string(*plan.length));
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

/// Appends status line and headers. Those that every answer has are added unless the application has set them itself.
void appendResponseHead(std::string& out, const Exchange& exchange, const ResponsePlan& plan, const MessageContext& context)
{
    const Response& response = exchange.response;
    out.append("HTTP/1.1 ").append(std::to_string(response.status)).append(" ").append(reason(response.status)).append("\r\n");
    appendHeader(out, "Date", context.date);
    appendRepresentation(out, response, plan);
    appendFraming(out, plan, context);
    out += plan.headers;
    out += response.headerBlock();
    if (!response.hasHeader("X-Request-Id")) appendHeader(out, "X-Request-Id", exchange.request.requestId);
    if (!response.hasHeader("X-Content-Type-Options")) out += "X-Content-Type-Options: nosniff\r\n";
    if (!response.hasHeader("Referrer-Policy")) out += "Referrer-Policy: no-referrer\r\n";
    if (context.strictTransportSecurity > 0 && !response.hasHeader("Strict-Transport-Security"))
        appendHeader(out, "Strict-Transport-Security", "max-age=" + std::to_string(context.strictTransportSecurity));
    out += "\r\n";
}

} // namespace

void ResponseSender::begin(Exchange& exchange, ResponsePlan& plan, MessageContext context)
{
    _exchange = &exchange;
    _plan = &plan;
    _streaming = plan.body == ResponsePlan::Body::Source;
    const bool open = plan.body == ResponsePlan::Body::Live || (_streaming && !plan.length);
    _chunked = context.chunked = open && !context.http10;
    appendResponseHead(_out, exchange, plan, context);
    if (plan.body == ResponsePlan::Body::Memory)
    {
        _body = exchange.response.body;
        if (_body.size() <= copiedBytes)
        {
            _out += _body;
            _body = {};
        }
    }
    if (plan.body == ResponsePlan::Body::File)
    {
        _fileOffset = plan.fileOffset;
        _fileRemaining = plan.length.value_or(0);
    }
}

ResponseSender::Result ResponseSender::flush(Transport& transport, std::uint64_t& sent)
{
    const auto start = sent;
    while (true)
    {
        if (sent - start >= turnBytes) return Result::Paused;
        const auto pending = std::string_view(_out).substr(_outSent);
        Transport::Result result{Transport::Status::Moved};
        if (!pending.empty() || !_body.empty())
        {
            result = transport.send(pending, _body, _fileRemaining > 0);
            account(result.bytes);
        }
        else if (_fileRemaining > 0)
            result = sendFilePart(transport);
        else if (_failed)
            return Result::Failed;
        else
            return _streaming ? Result::NeedsPiece : Result::Done;

        sent += result.bytes;
        if (result.status == Transport::Status::Blocked) return Result::Blocked;
        if (result.status != Transport::Status::Moved) return Result::Failed;
    }
}

void ResponseSender::account(std::size_t bytes) noexcept
{
    const auto ofOut = std::min(bytes, _out.size() - _outSent);
    _outSent += ofOut;
    _body.remove_prefix(bytes - ofOut);
}

Transport::Result ResponseSender::sendFilePart(Transport& transport)
{
    const auto result = transport.sendFile(_exchange->response.file->descriptor, _fileOffset, _fileRemaining);
    _fileOffset += result.bytes;
    _fileRemaining -= result.bytes;
    return result;
}

void ResponseSender::produce() noexcept
{
    try
    {
        readPiece();
    }
    catch (...)
    {
        // The head is already sent, so closing the connection early is the only way to report the failure.
        _failed = true;
    }
    if (_failed) _out.clear();
    if (_failed || !_streaming) _exchange->response.source.reset();
}

void ResponseSender::readPiece()
{
    _out.clear();
    _outSent = 0;
    const auto start = _chunked ? beginChunk(_out) : 0;
    _streaming = _exchange->response.source->read(_out, pieceBytes);
    const auto size = _out.size() - start;
    _produced += size;
    if (_plan->length && (_produced > *_plan->length || (!_streaming && _produced < *_plan->length)))
        throw std::length_error("a body source gave a different number of bytes than it had announced");
    if (!_chunked) return;
    endChunk(_out, start);
    if (!_streaming) _out += lastChunk;
}

void ResponseSender::clear()
{
    _exchange = nullptr;
    _plan = nullptr;
    _out.clear();
    if (_out.capacity() > pieceBytes) _out.shrink_to_fit();
    _outSent = 0;
    _body = {};
    _fileOffset = _fileRemaining = _produced = 0;
    _chunked = _streaming = _failed = false;
}

} // namespace portico::host::http
