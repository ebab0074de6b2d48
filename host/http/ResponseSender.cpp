#include "host/http/ResponseSender.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace portico::host::http
{

namespace
{

/// Room for a chunk's size, written once the size is known; leading zeros are allowed.
constexpr std::string_view chunkSizeSpace = "00000000\r\n";

void writeChunkSize(char* out, std::size_t size) noexcept
{
    for (int i = 7; i >= 0; --i, size >>= 4) out[i] = "0123456789abcdef"[size & 15];
}

} // namespace

void ResponseSender::begin(Exchange& exchange, ResponsePlan& plan, MessageContext context)
{
    _exchange = &exchange;
    _plan = &plan;
    _streaming = plan.body == ResponsePlan::Body::Source;
    _chunked = context.chunked = _streaming && !plan.length && !context.http10;
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
        // The head has gone out already: a connection that ends too early is the one way left to say so.
        _failed = true;
    }
    if (_failed) _out.clear();
    if (_failed || !_streaming) _exchange->response.source.reset();
}

void ResponseSender::readPiece()
{
    _out.clear();
    _outSent = 0;
    if (_chunked) _out += chunkSizeSpace;
    const auto start = _out.size();
    _streaming = _exchange->response.source->read(_out, pieceBytes);
    const auto size = _out.size() - start;
    _produced += size;
    if (_plan->length && (_produced > *_plan->length || (!_streaming && _produced < *_plan->length)))
        throw std::length_error("a body source gave another number of bytes than it had said");
    if (!_chunked) return;
    if (size > 0)
    {
        writeChunkSize(_out.data(), size);
        _out += "\r\n";
    }
    else
        _out.clear();
    if (!_streaming) _out += "0\r\n\r\n";
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
