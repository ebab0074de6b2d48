#include "host/platform/outbound/HttpLoop.h"

#include "host/base/FileDescriptor.h"
#include "host/platform/outbound/HttpResponseParser.h"
#include "host/platform/outbound/HttpTarget.h"

#include "portico/Http.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <Poco/Net/IPAddress.h>
#include <Poco/Net/SocketAddress.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

namespace portico::host::platform
{

namespace
{

using Steady = std::chrono::steady_clock;
using Outcome = CallResult::Outcome;

constexpr std::size_t pieceBytes = 16 * 1024;
/// Maximum events per wait.
constexpr int eventsAtOnce = 64;

std::string requestText(const HttpClient::Request& request, const HttpTarget& target, const std::string& userAgent,
                        const std::string& traceparent)
{
    std::string text =
        request.method + ' ' + target.pathAndQuery + " HTTP/1.1\r\nHost: " + target.authority() + "\r\nConnection: close\r\n";
    bool agent = false, trace = false;
    for (const auto& [name, value] : request.headers)
    {
        agent = agent || equalsIgnoreCase(name, "User-Agent");
        trace = trace || equalsIgnoreCase(name, "traceparent");
        text.append(name).append(": ").append(value).append("\r\n");
    }
    if (!agent) text.append("User-Agent: ").append(userAgent).append("\r\n");
    if (!trace && !traceparent.empty()) text.append("traceparent: ").append(traceparent).append("\r\n");
    const bool sendsBody = request.method == "POST" || request.method == "PUT" || request.method == "PATCH";
    if (sendsBody || !request.body.empty()) text.append("Content-Length: ").append(std::to_string(request.body.size())).append("\r\n");
    return text.append("\r\n").append(request.body);
}

} // namespace

/// One request on its way. Owned by the loop's thread once it has been added.
struct HttpLoop::Exchange
{
    enum class Stage : std::uint8_t
    {
        Connecting,
        Handshake,
        Sending,
        Receiving
    };

    HttpClient::Request request;
    Done done;
    HttpTarget target;
    std::string text;
    std::string trace;
    Steady::time_point started = Steady::now();
    Steady::time_point deadline = started + request.timeout;
    /// Limit for the address that is tried now.
    Steady::time_point connectDeadline{};
    HttpResponseParser parser{request.method == "HEAD", request.maxResponseBytes};
    Stage stage = Stage::Connecting;
    std::size_t address = 0;
    std::size_t sent = 0;
    FileDescriptor socket;
    struct SslFree
    {
        void operator()(SSL* connection) const noexcept { ::SSL_free(connection); }
    };
    std::unique_ptr<SSL, SslFree> ssl;
    std::uint32_t interest = 0;

    Exchange(HttpClient::Request asked, Done callback, HttpTarget destination)
        : request(std::move(asked)), done(std::move(callback)), target(std::move(destination))
    {
    }

    void finish(Outcome outcome)
    {
        CallResult result;
        result.outcome = outcome;
        result.took = std::chrono::duration_cast<std::chrono::milliseconds>(Steady::now() - started);
        if (outcome == Outcome::Responded)
        {
            result.response = std::move(parser.response());
            result.response.url = request.url;
        }
        std::exchange(done, nullptr)(std::move(result));
    }
    Steady::time_point nextDeadline() const noexcept { return stage == Stage::Connecting ? std::min(deadline, connectDeadline) : deadline; }
};

/// The thread with its sockets.
class HttpLoop::Loop
{
public:
    Loop(const GuardedHttpClient& guard)
        : _guard(guard), _poll(::epoll_create1(EPOLL_CLOEXEC)), _wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
    {
        if (!_poll || !_wake) throw std::system_error(errno, std::generic_category(), "open an event loop for outbound HTTP");
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.u64 = 0;
        ::epoll_ctl(_poll.get(), EPOLL_CTL_ADD, _wake.get(), &event);
        _thread = std::thread([this] { run(); });
    }
    ~Loop()
    {
        stop();
        if (_thread.joinable()) _thread.join();
    }

    void add(std::unique_ptr<Exchange> exchange)
    {
        {
            const std::lock_guard lock(_mutex);
            if (!_stopping)
            {
                _arrived.push_back(std::move(exchange));
                wake();
                return;
            }
        }
        exchange->finish(Outcome::NotReached);
    }

    void stop()
    {
        const std::lock_guard lock(_mutex);
        _stopping = true;
        wake();
    }

private:
    using Exchanges = std::map<std::uint64_t, std::unique_ptr<Exchange>>;
    enum class Progress : std::uint8_t
    {
        Waits,
        Ended
    };

    void wake() noexcept
    {
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto written = ::write(_wake.get(), &one, sizeof one);
    }

    void run()
    {
        // OpenSSL writes without MSG_NOSIGNAL.
        sigset_t pipe;
        ::sigemptyset(&pipe);
        ::sigaddset(&pipe, SIGPIPE);
        ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
        std::array<epoll_event, eventsAtOnce> events{};
        while (true)
        {
            const int count = ::epoll_wait(_poll.get(), events.data(), eventsAtOnce, waitMillis());
            for (int i = 0; i < count; ++i)
                if (events[static_cast<std::size_t>(i)].data.u64 != 0) advance(events[static_cast<std::size_t>(i)].data.u64);
            if (!takeArrived()) break;
            expire();
        }
        for (auto& [id, exchange] : _exchanges) exchange->finish(Outcome::NotReached);
        _exchanges.clear();
    }

    int waitMillis() const
    {
        if (_exchanges.empty()) return -1;
        auto next = Steady::time_point::max();
        for (const auto& [id, exchange] : _exchanges) next = std::min(next, exchange->nextDeadline());
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - Steady::now()).count();
        return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
    }

    /// False: the loop ends.
    bool takeArrived()
    {
        std::uint64_t count = 0;
        [[maybe_unused]] const auto bytes = ::read(_wake.get(), &count, sizeof count);
        std::vector<std::unique_ptr<Exchange>> arrived;
        bool goesOn = true;
        {
            const std::lock_guard lock(_mutex);
            arrived.swap(_arrived);
            goesOn = !_stopping;
        }
        for (auto& exchange : arrived)
        {
            const auto id = ++_lastId;
            const auto added = _exchanges.emplace(id, std::move(exchange)).first;
            if (goesOn && connect(id, *added->second) == Progress::Ended) _exchanges.erase(added);
        }
        return goesOn;
    }

    void expire()
    {
        const auto now = Steady::now();
        for (auto found = _exchanges.begin(); found != _exchanges.end();)
        {
            auto& exchange = *found->second;
            auto progress = Progress::Waits;
            if (exchange.deadline <= now)
                progress = end(exchange, Outcome::TimedOut);
            else if (exchange.nextDeadline() <= now)
                progress = connectNext(found->first, exchange);
            found = progress == Progress::Ended ? _exchanges.erase(found) : std::next(found);
        }
    }

    void advance(std::uint64_t id)
    {
        const auto found = _exchanges.find(id);
        if (found == _exchanges.end()) return;
        if (work(id, *found->second) == Progress::Ended) _exchanges.erase(found);
    }

    static Progress end(Exchange& exchange, Outcome outcome)
    {
        exchange.ssl.reset();
        exchange.socket.close();
        exchange.finish(outcome);
        return Progress::Ended;
    }

    Progress connectNext(std::uint64_t id, Exchange& exchange)
    {
        exchange.ssl.reset();
        exchange.socket.close();
        exchange.interest = 0;
        ++exchange.address;
        return connect(id, exchange);
    }

    /// Begins with the first address that can be tried.
    Progress connect(std::uint64_t id, Exchange& exchange)
    {
        exchange.stage = Exchange::Stage::Connecting;
        for (; exchange.address < exchange.target.addresses.size(); ++exchange.address)
        {
            const Poco::Net::SocketAddress address(Poco::Net::IPAddress(exchange.target.addresses[exchange.address]), exchange.target.port);
            exchange.socket = FileDescriptor(::socket(address.af(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
            if (!exchange.socket) continue;
            exchange.connectDeadline = Steady::now() + _guard.settings().connectTimeout;
            if (::connect(exchange.socket.get(), address.addr(), address.length()) == 0 || errno == EINPROGRESS)
                return wait(id, exchange, EPOLLOUT);
        }
        return end(exchange, Outcome::NotReached);
    }

    Progress wait(std::uint64_t id, Exchange& exchange, std::uint32_t events)
    {
        if (exchange.interest == events) return Progress::Waits;
        epoll_event event{};
        event.events = events;
        event.data.u64 = id;
        const int operation = exchange.interest == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
        if (::epoll_ctl(_poll.get(), operation, exchange.socket.get(), &event) != 0) return end(exchange, Outcome::NotReached);
        exchange.interest = events;
        return Progress::Waits;
    }

    Progress work(std::uint64_t id, Exchange& exchange)
    {
        switch (exchange.stage)
        {
        case Exchange::Stage::Connecting:
            return connected(id, exchange);
        case Exchange::Stage::Handshake:
            return handshake(id, exchange);
        case Exchange::Stage::Sending:
            return send(id, exchange);
        case Exchange::Stage::Receiving:
            return receive(id, exchange);
        }
        return Progress::Waits;
    }

    Progress connected(std::uint64_t id, Exchange& exchange)
    {
        int error = 0;
        socklen_t size = sizeof error;
        if (::getsockopt(exchange.socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error != 0) return connectNext(id, exchange);
        if (!exchange.target.secure)
        {
            exchange.stage = Exchange::Stage::Sending;
            return send(id, exchange);
        }
        if (!beginTls(exchange)) return end(exchange, Outcome::NotReached);
        exchange.stage = Exchange::Stage::Handshake;
        return handshake(id, exchange);
    }

    bool beginTls(Exchange& exchange)
    try
    {
        if (!_tls) _tls = _guard.tls();
        exchange.ssl.reset(::SSL_new(_tls->sslContext()));
        auto* const ssl = exchange.ssl.get();
        if (ssl == nullptr || ::SSL_set_fd(ssl, exchange.socket.get()) != 1) return false;
        const auto& host = exchange.target.host;
        // POCO's callback asks handlers that only its own sockets know.
        ::SSL_set_verify(ssl, SSL_VERIFY_PEER, nullptr);
        auto* const parameters = ::SSL_get0_param(ssl);
        if (Poco::Net::IPAddress number; Poco::Net::IPAddress::tryParse(host, number))
            return ::X509_VERIFY_PARAM_set1_ip_asc(parameters, host.c_str()) == 1;
        return ::SSL_set_tlsext_host_name(ssl, host.c_str()) == 1 && ::SSL_set1_host(ssl, host.c_str()) == 1;
    }
    catch (const std::exception&)
    {
        return false;
    }

    /// Waits as OpenSSL requires; false: the connection has failed or ended.
    bool waitForTls(std::uint64_t id, Exchange& exchange, int result, Progress& progress)
    {
        const int error = ::SSL_get_error(exchange.ssl.get(), result);
        ::ERR_clear_error();
        if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) return false;
        progress = wait(id, exchange, error == SSL_ERROR_WANT_READ ? EPOLLIN : EPOLLOUT);
        return true;
    }

    Progress handshake(std::uint64_t id, Exchange& exchange)
    {
        ::ERR_clear_error();
        const int result = ::SSL_connect(exchange.ssl.get());
        auto progress = Progress::Waits;
        if (result == 1)
        {
            exchange.stage = Exchange::Stage::Sending;
            return send(id, exchange);
        }
        return waitForTls(id, exchange, result, progress) ? progress : end(exchange, Outcome::NotReached);
    }

    Progress send(std::uint64_t id, Exchange& exchange)
    {
        if (exchange.text.empty())
            exchange.text = requestText(exchange.request, exchange.target, _guard.settings().userAgent, exchange.trace);
        while (exchange.sent < exchange.text.size())
        {
            const auto* const from = exchange.text.data() + exchange.sent;
            const auto size = exchange.text.size() - exchange.sent;
            auto progress = Progress::Waits;
            if (exchange.ssl)
            {
                ::ERR_clear_error();
                const int written = ::SSL_write(exchange.ssl.get(), from, static_cast<int>(std::min(size, pieceBytes)));
                if (written <= 0) return waitForTls(id, exchange, written, progress) ? progress : end(exchange, Outcome::Failed);
                exchange.sent += static_cast<std::size_t>(written);
                continue;
            }
            const auto written = ::send(exchange.socket.get(), from, size, MSG_NOSIGNAL);
            if (written < 0 && errno == EINTR) continue;
            if (written < 0 && errno == EAGAIN) return wait(id, exchange, EPOLLOUT);
            // The other side may have answered before it stopped reading.
            if (written < 0) break;
            exchange.sent += static_cast<std::size_t>(written);
        }
        exchange.stage = Exchange::Stage::Receiving;
        return receive(id, exchange);
    }

    Progress receive(std::uint64_t id, Exchange& exchange)
    {
        std::array<char, pieceBytes> piece{};
        while (true)
        {
            bool ended = false, cut = false;
            std::size_t size = 0;
            if (exchange.ssl)
            {
                ::ERR_clear_error();
                const int count = ::SSL_read(exchange.ssl.get(), piece.data(), static_cast<int>(piece.size()));
                auto progress = Progress::Waits;
                if (count <= 0)
                {
                    // An attacker may have cut a connection that ends without close_notify.
                    ended = ::SSL_get_error(exchange.ssl.get(), count) == SSL_ERROR_ZERO_RETURN;
                    if (!ended && waitForTls(id, exchange, count, progress)) return progress;
                    cut = !ended;
                }
                else
                    size = static_cast<std::size_t>(count);
            }
            else
            {
                const auto count = ::recv(exchange.socket.get(), piece.data(), piece.size(), 0);
                if (count < 0 && errno == EINTR) continue;
                if (count < 0 && errno == EAGAIN) return wait(id, exchange, EPOLLIN);
                ended = count == 0;
                cut = count < 0;
                if (count > 0) size = static_cast<std::size_t>(count);
            }
            const auto state = cut     ? HttpResponseParser::State::Malformed
                               : ended ? exchange.parser.end()
                                       : exchange.parser.take({piece.data(), size});
            switch (state)
            {
            case HttpResponseParser::State::More:
                continue;
            case HttpResponseParser::State::Complete:
                return end(exchange, Outcome::Responded);
            case HttpResponseParser::State::TooLarge:
                return end(exchange, Outcome::TooLarge);
            case HttpResponseParser::State::Malformed:
                return end(exchange, Outcome::Failed);
            }
        }
    }

    const GuardedHttpClient& _guard;
    FileDescriptor _poll;
    FileDescriptor _wake;
    std::mutex _mutex;
    bool _stopping = false;
    std::vector<std::unique_ptr<Exchange>> _arrived;
    // The thread's own.
    Exchanges _exchanges;
    std::uint64_t _lastId = 0;
    Poco::Net::Context::Ptr _tls;
    std::thread _thread;
};

HttpLoop::HttpLoop(const GuardedHttpClient& guard, Elsewhere elsewhere) : _guard(guard), _elsewhere(std::move(elsewhere)) {}

HttpLoop::~HttpLoop()
{
    const std::lock_guard lock(_mutex);
    _stopped = true;
    if (_loop) _loop->stop();
}

std::shared_ptr<HttpLoop::Loop> HttpLoop::loop()
{
    const std::lock_guard lock(_mutex);
    if (!_loop && !_stopped) _loop = std::make_shared<Loop>(_guard);
    return _stopped ? nullptr : _loop;
}

void HttpLoop::send(HttpClient::Request request, const std::string& traceparent, Done done)
{
    const auto refuse = [&done](Outcome outcome)
    {
        CallResult result;
        result.outcome = outcome;
        done(std::move(result));
    };
    std::unique_ptr<Exchange> exchange;
    std::shared_ptr<Loop> running;
    try
    {
        HttpTarget target(request.url);
        running = loop();
        if (!running) return refuse(Outcome::NotReached);
        const bool known = GuardedHttpClient::needsNoNameServer(target.host);
        if (known) target.addresses = _guard.permittedAddresses(target.host, target.port);
        exchange = std::make_unique<Exchange>(std::move(request), done, std::move(target));
        exchange->trace = traceparent;
        if (known) return running->add(std::move(exchange));
    }
    catch (const HttpFailure& failure)
    {
        return refuse(failure.status() == 400 ? Outcome::NotAllowed : Outcome::NotReached);
    }
    catch (const std::exception&)
    {
        return refuse(Outcome::NotReached);
    }
    // A function must be copyable.
    const auto shared = std::make_shared<std::unique_ptr<Exchange>>(std::move(exchange));
    const bool begun = _elsewhere(
        [&guard = _guard, running, shared]
        {
            auto resolved = std::move(*shared);
            if (Steady::now() >= resolved->deadline) return resolved->finish(Outcome::TimedOut);
            try
            {
                resolved->target.addresses = guard.permittedAddresses(resolved->target.host, resolved->target.port);
            }
            catch (const HttpFailure& failure)
            {
                return resolved->finish(failure.status() == 400 ? Outcome::NotAllowed : Outcome::NotReached);
            }
            catch (const std::exception&)
            {
                return resolved->finish(Outcome::NotReached);
            }
            running->add(std::move(resolved));
        });
    if (!begun) (*shared)->finish(Outcome::NotReached);
}

} // namespace portico::host::platform
