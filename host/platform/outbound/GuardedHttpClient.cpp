#include "host/platform/outbound/GuardedHttpClient.h"

#include "host/base/Text.h"
#include "host/platform/outbound/HttpResponseParser.h"
#include "host/plugins/runtime/PluginScope.h"
#include "host/telemetry/Tracer.h"

#include "portico/Http.h"
#include "portico/detail/FormBody.h"

#include <Poco/Exception.h>
#include <Poco/Net/DNS.h>
#include <Poco/Net/HTTPClientSession.h>
#include <Poco/Net/HTTPRequest.h>
#include <Poco/Net/HTTPResponse.h>
#include <Poco/Net/IPAddress.h>
#include <Poco/Net/SSLException.h>
#include <Poco/Net/SecureStreamSocket.h>
#include <Poco/Net/SocketAddress.h>
#include <Poco/URI.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <system_error>

#include <arpa/inet.h>
#include <unistd.h>

namespace portico::host::platform
{

namespace
{

using Poco::Net::HTTPMessage;
using Poco::Net::HTTPRequest;
using Poco::Net::HTTPResponse;

using Sent = HttpFailure::Sent;

// The callers know whether the request was sent; `send` adds it.
[[noreturn]] void fail(std::string_view detail) { throw HttpFailure(502, "upstream_failed", detail, Sent::NotSent); }

[[noreturn]] void refuse(std::string_view detail) { throw HttpFailure(400, "address_not_allowed", detail, Sent::NotSent); }

std::vector<std::string> systemResolver(const std::string& host)
{
    // A number needs no name server; POCO would look for its name.
    if (Poco::Net::IPAddress number; Poco::Net::IPAddress::tryParse(host, number)) return {number.toString()};
    std::vector<std::string> addresses;
    const auto entry = Poco::Net::DNS::resolve(host);
    for (const auto& address : entry.addresses()) addresses.push_back(address.toString());
    return addresses;
}

/// Addresses of hosts that need no name server: numbers in all forms that resolvers accept (RFC 6943, 3.1.1), and this machine's name (RFC
/// 6761, 6.3). Empty for other names.
std::vector<std::string> addressesWithoutNameServer(std::string_view host)
{
    if (host.ends_with('.')) host.remove_suffix(1);
    if (equalsIgnoreCase(host, "localhost") || (host.size() > 10 && equalsIgnoreCase(host.substr(host.size() - 10), ".localhost")))
        return {"127.0.0.1"};
    if (IpAddress::parse(host)) return {std::string(host)};
    const std::string text(host);
    in_addr loose{};
    if (::inet_aton(text.c_str(), &loose) == 0) return {};
    std::array<unsigned char, sizeof loose> bytes{};
    std::memcpy(bytes.data(), &loose, bytes.size());
    return {IpAddress::ofIpv4(bytes.data()).text()};
}

std::chrono::milliseconds remaining(SocketDeadlines::TimePoint deadline)
{
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) fail("The other server took too long.");
    return left;
}

Poco::Timespan timespan(std::chrono::milliseconds duration) { return {duration.count() * Poco::Timespan::MILLISECONDS}; }

/// Reads a body to its end; how long it was.
std::uint64_t readBody(std::istream& stream, std::uint64_t limit, const std::function<void(std::span<const char>)>& take)
{
    std::uint64_t size = 0;
    std::array<char, 16'384> buffer{};
    while (stream.read(buffer.data(), buffer.size()) || stream.gcount() > 0)
    {
        const auto count = static_cast<std::size_t>(stream.gcount());
        size += count;
        if (size > limit) fail("The other server's answer is too large.");
        take(std::span(buffer).first(count));
    }
    return size;
}

/// A session that also gives the bytes of a body as they arrive.
class RawSession : public Poco::Net::HTTPClientSession
{
public:
    explicit RawSession(const Poco::Net::StreamSocket& socket) : HTTPClientSession(socket) {}

    /// The next bytes; empty after the end of the connection or an error, like POCO's streams.
    std::string_view next(std::span<char> buffer)
    {
        try
        {
            const int count = read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
            return {buffer.data(), static_cast<std::size_t>(std::max(count, 0))};
        }
        catch (const Poco::Exception&)
        {
            return {};
        }
    }
};

/// Reads a body in chunks to its end; how long it was. Empty if the last chunk is missing, which POCO's own decoder accepts.
std::optional<std::uint64_t> readChunks(RawSession& session, std::uint64_t limit, const std::function<void(std::span<const char>)>& take)
{
    using State = HttpResponseParser::State;
    auto parser = HttpResponseParser::ofChunks(limit);
    auto state = State::More;
    std::array<char, 16'384> buffer{};
    while (state == State::More)
    {
        const auto bytes = session.next(buffer);
        state = bytes.empty() ? parser.end() : parser.take(bytes);
        if (state == State::TooLarge) fail("The other server's answer is too large.");
        auto& body = parser.response().body;
        if (!body.empty()) take(std::span<const char>(body.data(), body.size()));
        body.clear();
    }
    if (state != State::Complete) return std::nullopt;
    return parser.response().bodyBytes;
}

/// Stops early if the server accepts no more: its answer has the reason.
void writeFile(std::ostream& stream, const FileBody& file)
{
    std::array<char, 65'536> buffer{};
    for (std::uint64_t at = 0; at < file.size && stream;)
    {
        const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), file.size - at));
        const auto count = ::pread(file.descriptor, buffer.data(), wanted, static_cast<off_t>(at));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) throw std::system_error(count < 0 ? errno : EIO, std::generic_category(), "read the body of a request");
        stream.write(buffer.data(), count);
        at += static_cast<std::uint64_t>(count);
    }
}

} // namespace

Poco::Net::Context::Ptr tlsClientContext(const std::string& certificateAuthorities)
{
    Poco::Net::Context::Ptr context =
        new Poco::Net::Context(Poco::Net::Context::TLS_CLIENT_USE, certificateAuthorities, Poco::Net::Context::VERIFY_STRICT, 9, true);
    context->requireMinimumProtocol(Poco::Net::Context::PROTO_TLSV1_2);
    return context;
}

GuardedHttpClient::GuardedHttpClient(const HttpClientSettings& settings) : GuardedHttpClient(settings, systemResolver) {}

GuardedHttpClient::GuardedHttpClient(const HttpClientSettings& settings, Resolver resolve)
    : _settings(settings), _policy(settings.allowedNetworks, settings.allowedAddresses), _resolve(std::move(resolve))
{
}

bool GuardedHttpClient::needsNoNameServer(const std::string& host)
{
    Poco::Net::IPAddress number;
    return Poco::Net::IPAddress::tryParse(host, number);
}

Poco::Net::Context::Ptr GuardedHttpClient::tls() const
{
    std::call_once(_tlsMade, [this] { _tls = tlsClientContext(_settings.certificateAuthorities); });
    return _tls;
}

/// A request on its way, with all of its hops.
struct GuardedHttpClient::Exchange
{
    const Request& request;
    const SocketDeadlines::TimePoint deadline;
    /// From the first byte of the first hop on.
    bool sent = false;
    int redirects = 0;

    bool mayFollow() const noexcept { return redirects < request.maxRedirects; }
    /// For `Request::form`.
    std::optional<detail::FormBody> form = std::nullopt;
    std::uint64_t bodySize() const noexcept
    {
        if (form) return form->size;
        return request.bodyFile == nullptr ? request.body.size() : request.bodyFile->size;
    }
    void writeBody(std::ostream& out) const
    {
        if (form)
            for (const auto& piece : form->pieces)
            {
                out.write(piece.text.data(), static_cast<std::streamsize>(piece.text.size()));
                if (piece.file != nullptr) writeFile(out, *piece.file);
            }
        else if (request.bodyFile != nullptr)
            writeFile(out, *request.bodyFile);
        else
            out.write(request.body.data(), static_cast<std::streamsize>(request.body.size()));
    }
};

HttpClient::Response GuardedHttpClient::send(const Request& request)
{
    requireSendable(request.method, request.headers);
    if ((request.bodyFile != nullptr) + !request.body.empty() + !request.form.empty() > 1)
        throw std::invalid_argument("outbound HTTP: two bodies");
    Exchange exchange{request, std::chrono::steady_clock::now() + request.timeout};
    if (!request.form.empty()) exchange.form = detail::formBody(request.form);
    const auto sent = [&] { return exchange.sent ? Sent::PerhapsSent : Sent::NotSent; };
    const auto upstream = [&](std::string_view detail) { return HttpFailure(502, "upstream_failed", detail, sent()); };
    try
    {
        return follow(exchange);
    }
    catch (const HttpFailure& failure)
    {
        throw HttpFailure(failure.status(), failure.code(), failure.detail(), sent());
    }
    catch (const Poco::TimeoutException&)
    {
        throw upstream("The other server took too long.");
    }
    catch (const Poco::Net::SSLException&)
    {
        throw upstream("The other server's TLS could not be trusted or used.");
    }
    catch (const Poco::Exception&)
    {
        throw upstream("The other server could not be reached or did not answer properly.");
    }
}

HttpClient::Response GuardedHttpClient::follow(Exchange& exchange)
{
    HttpHop hop{exchange.request.method, exchange.request.url, exchange.request.headers, true};
    while (true)
    {
        Target target(hop.url);
        target.addresses = permittedAddresses(target.host, target.port);
        auto response = sendTraced(target, hop, exchange);
        response.url = hop.url;
        response.redirects = exchange.redirects;
        if (!exchange.mayFollow() || !isRedirect(response)) return response;
        hop = redirected(hop, response);
        ++exchange.redirects;
    }
}

HttpClient::Response GuardedHttpClient::sendTraced(const Target& target, const HttpHop& hop, Exchange& exchange)
{
    telemetry::ClientSpan span;
    if (!span.recording()) return sendTo(target, hop, span.context(), exchange);
    auto& record = span.record();
    record.name = hop.method;
    record.service = plugins::PluginScope::current().serviceId.data();
    record.attributes = {{"http.request.method", hop.method},
                         {"server.address", target.host},
                         {"server.port", std::int64_t{target.port}},
                         // Without the query: people put secrets there.
                         {"url.full", std::string(target.secure ? "https://" : "http://") + target.authority() +
                                          target.pathAndQuery.substr(0, target.pathAndQuery.find('?'))}};
    record.failed = true;
    auto response = sendTo(target, hop, span.context(), exchange);
    record.failed = response.status >= 400;
    record.attributes.emplace_back("http.response.status_code", std::int64_t{response.status});
    return response;
}

std::vector<std::string> GuardedHttpClient::permittedAddresses(const std::string& host, std::uint16_t port) const
{
    std::vector<std::string> addresses;
    try
    {
        addresses = _resolve(host);
    }
    catch (const std::exception&)
    {
        fail("The other server's name has no address.");
    }
    if (addresses.empty()) fail("The other server's name has no address.");
    requirePermitted(host, port, addresses);
    return addresses;
}

void GuardedHttpClient::requirePermitted(const std::string& host, std::uint16_t port, const std::vector<std::string>& addresses) const
{
    // One bad address is enough: a name with a public and a private one is how a rebinding attack looks.
    for (const auto& address : addresses)
    {
        if (_policy.permits(address, port)) continue;
        if (_settings.log)
            _settings.log->information("refused a request to an address that is not a public one: outbound.allowedNetworks and "
                                       "outbound.allowedAddresses allow more",
                                       {{"host", host}, {"address", address}, {"port", std::to_string(port)}});
        refuse("'" + host + "' leads to an address that is not a public one.");
    }
}

void GuardedHttpClient::requireAllowed(std::string_view url) const
{
    const Target target{std::string(url)};
    requirePermitted(target.host, target.port, addressesWithoutNameServer(target.host));
}

bool GuardedHttpClient::isAllowedByOperator(std::string_view url) const
{
    try
    {
        const Target target{std::string(url)};
        const auto addresses = addressesWithoutNameServer(target.host);
        return !addresses.empty() &&
               std::all_of(addresses.begin(), addresses.end(), [&](const auto& address) { return _policy.isNamed(address, target.port); });
    }
    catch (const HttpFailure&)
    {
        return false;
    }
}

Poco::Net::StreamSocket GuardedHttpClient::connect(const Target& target, SocketDeadlines::TimePoint deadline) const
{
    for (std::size_t i = 0;; ++i)
    {
        try
        {
            Poco::Net::StreamSocket socket;
            socket.connect(Poco::Net::SocketAddress(Poco::Net::IPAddress(target.addresses[i]), target.port),
                           timespan(std::min(_settings.connectTimeout, remaining(deadline))));
            return socket;
        }
        catch (const Poco::Exception&)
        {
            if (i + 1 == target.addresses.size()) throw;
        }
    }
}

HttpClient::Response GuardedHttpClient::sendTo(const Target& target, const HttpHop& hop, const telemetry::TraceContext* trace,
                                               Exchange& exchange)
{
    const auto& request = exchange.request;
    auto socket = connect(target, exchange.deadline);
    SocketDeadlines::Watch watch(_deadlines, socket.impl()->sockfd(), exchange.deadline);
    const std::stop_callback onStop(request.stop, [&watch] { watch.expire(); });
    socket.setSendTimeout(timespan(request.timeout));
    socket.setReceiveTimeout(timespan(request.timeout));
    // The handshake is done, and the certificate checked, when this returns.
    if (target.secure) socket = Poco::Net::SecureStreamSocket::attach(socket, target.host, tls());
    // Not an HTTPSClientSession: it sets its port first, which a connected session rejects, and treats a cut connection as the end.
    RawSession session(socket);
    session.setTimeout(timespan(request.timeout));

    HTTPRequest head(hop.method, target.pathAndQuery, HTTPMessage::HTTP_1_1);
    head.setHost(target.authority());
    head.set("User-Agent", _settings.userAgent);
    for (const auto& [name, value] : hop.headers) head.set(name, value);
    if (exchange.form && hop.withBody) head.set("Content-Type", exchange.form->contentType);
    if (trace != nullptr && !head.has("traceparent"))
    {
        head.set("traceparent", telemetry::toTraceparent(*trace));
        if (!trace->state.empty()) head.set("tracestate", std::string(trace->state));
    }
    const auto bodySize = hop.withBody ? exchange.bodySize() : 0;
    if (bodySize > 0 || hop.method == "POST" || hop.method == "PUT" || hop.method == "PATCH")
        head.setContentLength64(static_cast<Poco::Int64>(bodySize));
    if (watch.expired()) fail("The other server took too long.");
    exchange.sent = true;
    auto& out = session.sendRequest(head);
    if (bodySize > 0) exchange.writeBody(out);

    HTTPResponse answer;
    auto& stream = session.receiveResponse(answer);
    Response response;
    response.status = answer.getStatus();
    for (const auto& [name, value] : answer) response.headers.emplace_back(name, value);
    if (exchange.mayFollow() && isRedirect(response)) return response;
    const bool written = request.bodyInto != nullptr && response.status >= 200 && response.status < 300;
    const auto take = [&](std::span<const char> bytes)
    {
        if (written)
            request.bodyInto->write(bytes);
        else
            response.body.append(bytes.data(), bytes.size());
    };
    const bool hasBody = hop.method != "HEAD" && response.status != 204 && response.status != 304;
    const std::optional<std::uint64_t> size = hasBody && answer.getChunkedTransferEncoding()
                                                  ? readChunks(session, request.maxResponseBytes, take)
                                                  : readBody(stream, request.maxResponseBytes, take);
    if (watch.expired()) fail("The other server took too long.");
    // POCO treats a connection that ends early as the end of the body.
    const bool hasLength = hasBody && answer.hasContentLength();
    if (!size || (hasLength && answer.getContentLength64() != static_cast<Poco::Int64>(*size)))
        fail("The other server's answer was cut short.");
    response.bodyBytes = *size;
    return response;
}

} // namespace portico::host::platform
