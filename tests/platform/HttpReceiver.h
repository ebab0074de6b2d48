#pragma once

#include <Poco/Net/HTTPRequestHandler.h>
#include <Poco/Net/HTTPRequestHandlerFactory.h>
#include <Poco/Net/HTTPServer.h>
#include <Poco/Net/HTTPServerRequest.h>
#include <Poco/Net/HTTPServerResponse.h>
#include <Poco/Net/ServerSocket.h>
#include <Poco/ThreadPool.h>

#include <functional>
#include <istream>
#include <iterator>
#include <map>
#include <mutex>
#include <ostream>
#include <string>
#include <vector>

namespace portico::tests
{

struct ReceivedRequest
{
    std::string method;
    std::string uri;
    std::map<std::string, std::string> headers;
    std::string body;
};

/// A server on loopback that records requests and returns the given answers.
class HttpReceiver
{
public:
    using Answer = std::function<void(const ReceivedRequest&, Poco::Net::HTTPServerResponse&)>;

    explicit HttpReceiver(Answer answer = respond(200, ""),
                          const Poco::Net::ServerSocket& socket = Poco::Net::ServerSocket(Poco::Net::SocketAddress("127.0.0.1", 0)))
        : _answer(std::move(answer)), _socket(socket), _server(new Factory(*this), _threads, _socket, new Poco::Net::HTTPServerParams)
    {
        _server.start();
    }
    ~HttpReceiver() { _server.stopAll(true); }

    std::uint16_t port() const { return _socket.address().port(); }
    std::string url(const std::string& path = "/") const { return "http://127.0.0.1:" + std::to_string(port()) + path; }
    std::vector<ReceivedRequest> received() const
    {
        const std::lock_guard lock(_mutex);
        return _received;
    }
    static Answer respond(int status, std::string body)
    {
        return [status, body = std::move(body)](const ReceivedRequest&, Poco::Net::HTTPServerResponse& response)
        {
            response.setStatus(static_cast<Poco::Net::HTTPResponse::HTTPStatus>(status));
            response.setContentLength64(static_cast<Poco::Int64>(body.size()));
            response.send() << body;
        };
    }

private:
    class Handler : public Poco::Net::HTTPRequestHandler
    {
    public:
        explicit Handler(HttpReceiver& owner) : _owner(owner) {}
        void handleRequest(Poco::Net::HTTPServerRequest& request, Poco::Net::HTTPServerResponse& response) override
        {
            ReceivedRequest received{request.getMethod(), request.getURI(), {}, {}};
            for (const auto& [name, value] : request) received.headers[name] = value;
            received.body.assign(std::istreambuf_iterator<char>(request.stream()), {});
            {
                const std::lock_guard lock(_owner._mutex);
                _owner._received.push_back(received);
            }
            _owner._answer(received, response);
        }

    private:
        HttpReceiver& _owner;
    };
    class Factory : public Poco::Net::HTTPRequestHandlerFactory
    {
    public:
        explicit Factory(HttpReceiver& owner) : _owner(owner) {}
        Poco::Net::HTTPRequestHandler* createRequestHandler(const Poco::Net::HTTPServerRequest&) override { return new Handler(_owner); }

    private:
        HttpReceiver& _owner;
    };

    const Answer _answer;
    Poco::Net::ServerSocket _socket;
    mutable std::mutex _mutex;
    std::vector<ReceivedRequest> _received;
    // Ended with the server: those of the process's own pool never are, and what OpenSSL keeps for them is a leak to the sanitizer.
    Poco::ThreadPool _threads;
    Poco::Net::HTTPServer _server;
};

} // namespace portico::tests
