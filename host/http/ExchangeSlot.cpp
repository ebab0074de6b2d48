#include "host/http/ExchangeSlot.h"

#include "host/http/Characters.h"

#include <algorithm>
#include <utility>

namespace portico::host::http
{

namespace
{

/// Crockford's base 32, most significant digit first.
void writeDigits(char* out, int digits, std::uint64_t value) noexcept
{
    constexpr char alphabet[] = "0123456789abcdefghjkmnpqrstvwxyz";
    for (int i = digits - 1; i >= 0; --i, value >>= 5) out[i] = alphabet[value & 31];
}

/// True for an id that a trusted proxy may give: 1 to 128 of letters, digits, `-`, `_` and `.`, fit for every log and header.
bool isRequestId(std::string_view text) noexcept
{
    const auto fits = [](char c) { return is(c, octet::host) && c != '~'; };
    return !text.empty() && text.size() <= 128 && std::all_of(text.begin(), text.end(), fits);
}

} // namespace

void RequestIds::make(std::uint64_t millis, std::string& out) noexcept
{
    out.resize(26);
    writeDigits(out.data(), 10, millis);
    writeDigits(out.data() + 10, 8, _random());
    writeDigits(out.data() + 18, 8, _random());
}

std::optional<Fault> ExchangeSlot::identify(const Peer& peer, const TrustedProxies& proxies, RequestIds& ids, std::uint64_t millis)
{
    Request& request = exchange.request;
    request.method = head.method;
    request.path = head.path;
    request.query = head.query;
    request.headers = head.headers;
    Forwarding forwarding;
    std::string_view sentId;
    if (peer.trusted)
    {
        forwarding = proxies.read(request);
        sentId = request.header("X-Request-Id");
    }
    if (isRequestId(sentId))
        requestId = sentId;
    else
        ids.make(millis, requestId);

    std::optional<Fault> fault;
    if (!forwarding.host.empty() && !isAuthority(forwarding.host))
        fault = Fault::malformed("The forwarded host is not a host with an optional port.");
    const auto authority = forwarding.host.empty() || fault ? head.authority : forwarding.host;
    request.secure = forwarding.scheme.empty() ? peer.secure : equalsIgnoreCase(forwarding.scheme, "https");
    normalizeAuthority(authority, request.secure, host);
    origin.assign(request.secure ? "https://" : "http://").append(host);
    request.origin = origin;
    client = std::move(forwarding.client);
    request.clientAddress = client.empty() ? peer.address : client;
    request.requestId = requestId;
    exchange.host = host;
    exchange.peerAddress = peer.address;
    exchange.listenerService = peer.service;
    exchange.started = std::chrono::steady_clock::now();
    exchange.announcedBytes = head.chunked ? std::nullopt : std::optional(head.contentLength.value_or(0));
    return fault;
}

void ExchangeSlot::clear()
{
    exchange.request.clear();
    exchange.response.clear();
    constexpr std::size_t modest = 64 * 1024;
    if (exchange.response.body.capacity() > modest) exchange.response.body.shrink_to_fit();
    exchange.host = exchange.listenerService = exchange.peerAddress = {};
    exchange.bodyBytes = exchange.sentBytes = 0;
    exchange.announcedBytes = 0;
    exchange.delivered = false;
    auto headers = std::move(head.headers);
    head = {};
    head.headers = std::move(headers);
    head.headers.clear();
    admission = {};
    headBlock.reset();
    receiver = {};
    upload.clear();
    if (upload.pending.capacity() > modest) upload.pending.shrink_to_fit();
    plan.clear();
    sender.clear();
    host.clear();
    engaged = false;
}

} // namespace portico::host::http
