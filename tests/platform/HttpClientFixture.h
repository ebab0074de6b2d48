#pragma once

#include "support/Suite.h"

#include "host/platform/outbound/GuardedHttpClient.h"

#include <Poco/Exception.h>
#include <Poco/Net/ServerSocket.h>
#include <Poco/Net/SocketAddress.h>
#include <Poco/Net/StreamSocket.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace portico::tests
{

/// Accepts one connection and does with it what no real server should.
class RawServer
{
public:
    explicit RawServer(std::function<void(Poco::Net::StreamSocket&)> serve)
        : _socket(Poco::Net::SocketAddress("127.0.0.1", 0)),
          _thread(
              [this, serve = std::move(serve)]
              {
                  auto connection = _socket.acceptConnection();
                  serve(connection);
              })
    {
    }
    ~RawServer() { _thread.join(); }
    std::uint16_t port() const { return _socket.address().port(); }
    std::string url() const { return "http://127.0.0.1:" + std::to_string(port()) + "/"; }

private:
    Poco::Net::ServerSocket _socket;
    std::thread _thread;
};

/// Base of tests of the HTTP client: a client that may reach loopback, made on first use.
class HttpClientFixture : public CppUnit::TestFixture
{
protected:
    /// False: the client has gone.
    static bool send(Poco::Net::StreamSocket& socket, const std::string& text)
    {
        try
        {
            socket.sendBytes(text.data(), static_cast<int>(text.size()));
            return true;
        }
        catch (const Poco::Exception&)
        {
            return false;
        }
    }
    static host::platform::HttpClientSettings loopback()
    {
        host::platform::HttpClientSettings settings;
        settings.allowedNetworks = {"127.0.0.0/8"};
        return settings;
    }
    static HttpClient::Request get(const std::string& url)
    {
        HttpClient::Request request;
        request.url = url;
        return request;
    }
    host::platform::GuardedHttpClient& client()
    {
        if (!_client) _client = std::make_unique<host::platform::GuardedHttpClient>(loopback());
        return *_client;
    }

private:
    std::unique_ptr<host::platform::GuardedHttpClient> _client;
};

} // namespace portico::tests
