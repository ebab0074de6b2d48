#include "host/http/LocalExchange.h"

#include "host/http/ExchangeSlot.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include <unistd.h>

namespace portico::host::http
{

namespace
{

/// A body in memory, for routes that take an upload.
class BodyInMemory final : public ReceivedFile
{
public:
    explicit BodyInMemory(std::string_view body) noexcept : _body(body) {}
    std::uint64_t size() const noexcept override { return _body.size(); }
    std::size_t read(std::uint64_t offset, std::span<char> buffer) const override
    {
        if (offset >= _body.size()) return 0;
        const auto part = _body.substr(static_cast<std::size_t>(offset), buffer.size());
        std::memcpy(buffer.data(), part.data(), part.size());
        return part.size();
    }

private:
    std::string_view _body;
};

bool readFile(const FileBody& file, std::string& body)
{
    body.resize(static_cast<std::size_t>(file.size));
    for (std::size_t at = 0; at < body.size();)
    {
        const auto count = ::pread(file.descriptor, body.data() + at, body.size() - at, static_cast<off_t>(at));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        at += static_cast<std::size_t>(count);
    }
    return true;
}

LocalResponse::End takeBody(Response& response, std::uint64_t limit, std::string& body)
try
{
    using enum LocalResponse::End;
    if (response.live) return Broken;
    if (response.file)
    {
        if (response.file->size > limit) return TooLarge;
        return readFile(*response.file, body) ? Whole : Broken;
    }
    if (response.source)
    {
        constexpr std::size_t piece = 64 * 1024;
        bool more = true;
        while (more && body.size() <= limit) more = response.source->read(body, piece);
    }
    else
        body = std::move(response.body);
    return body.size() > limit ? TooLarge : Whole;
}
catch (const std::exception&)
{
    return LocalResponse::End::Broken;
}

std::vector<std::pair<std::string, std::string>> headersOf(const Response& response)
{
    std::vector<std::pair<std::string, std::string>> headers;
    if (!response.contentType.empty()) headers.emplace_back("Content-Type", response.contentType);
    if (!response.cacheControl.empty()) headers.emplace_back("Cache-Control", response.cacheControl);
    if (!response.etag.empty()) headers.emplace_back("ETag", response.etag);
    std::string_view block = response.headerBlock();
    while (!block.empty())
    {
        const auto line = block.substr(0, block.find("\r\n"));
        const auto colon = line.find(':');
        headers.emplace_back(line.substr(0, colon), line.substr(std::min(colon + 2, line.size())));
        block.remove_prefix(std::min(line.size() + 2, block.size()));
    }
    return headers;
}

/// Fills the response of the exchange.
void run(Application& application, Exchange& exchange, const LocalRequest& asked, const BodyInMemory& file)
{
    const auto admission = application.admit(exchange);
    if (admission.answered) return;
    if (admission.bodyLimit > 0 && asked.body.size() > admission.bodyLimit)
    {
        exchange.response.clear();
        return application.refuse(exchange, 413, "payload_too_large", "The body is too large.");
    }
    if (admission.prepareFirst && !application.prepare(exchange)) return;
    exchange.bodyBytes = asked.body.size();
    if (admission.body == BodyMode::Memory) exchange.request.body = asked.body;
    if (admission.body == BodyMode::File) exchange.request.file = &file;
    application.handle(exchange);
}

} // namespace

LocalResponse callLocally(Application& application, const LocalRequest& asked)
{
    using namespace std::chrono;
    std::vector<HeaderField> headers;
    for (const auto& [name, value] : asked.headers) headers.push_back({name, value});
    Exchange exchange;
    auto& request = exchange.request;
    request.method = asked.method;
    request.path = asked.path;
    request.query = asked.query;
    request.headers = headers;
    const std::string origin = (asked.secure ? "https://" : "http://") + std::string(asked.host);
    request.origin = origin;
    request.secure = asked.secure;
    request.clientAddress = asked.clientAddress;
    std::string id(request.header("X-Request-Id"));
    if (id.empty() || id.size() > 128)
        RequestIds().make(static_cast<std::uint64_t>(duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count()), id);
    request.requestId = id;
    exchange.local = true;
    exchange.host = asked.host;
    exchange.listenerService = asked.service;
    exchange.peerAddress = asked.clientAddress;
    exchange.started = steady_clock::now();
    exchange.announcedBytes = asked.body.size();

    const BodyInMemory file(asked.body);
    run(application, exchange, asked, file);
    LocalResponse taken;
    taken.status = exchange.response.status;
    taken.headers = headersOf(exchange.response);
    if (!exchange.response.hasHeader("X-Request-Id")) taken.headers.emplace_back("X-Request-Id", id);
    taken.end = takeBody(exchange.response, asked.maxResponseBytes, taken.body);
    exchange.sentBytes = taken.body.size();
    exchange.delivered = taken.end == LocalResponse::End::Whole;
    exchange.response.source.reset();
    exchange.response.live.reset();
    application.finished(exchange);
    return taken;
}

} // namespace portico::host::http
