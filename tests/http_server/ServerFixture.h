#pragma once

#include "host/http/Server.h"
#include "http_server/RawClient.h"
#include "http_server/RecordingApplication.h"
#include "support/Suite.h"

#include <chrono>
#include <optional>
#include <string>
#include <thread>

namespace portico::test
{

using host::http::Admission;
using host::http::BodyMode;
using host::http::Exchange;
using host::http::Lane;
using host::http::ListenerSettings;
using host::http::Server;
using host::http::ServerSettings;
using portico::testing::equal;
using portico::testing::refused;
using portico::testing::Suite;

/// A server with one loop and one worker on a free port, unless a test says otherwise before `start`.
class ServerFixture : public CppUnit::TestFixture
{
public:
    void setUp() override
    {
        settings.loops = 1;
        settings.workers = 1;
        settings.heavyWorkers = 1;
        settings.longWorkers = 1;
        // Only what a test is about ends by time: a machine may be slow.
        for (auto* const time : {&settings.idleTimeout, &settings.headTimeout, &settings.bodyTimeout, &settings.writeTimeout})
            *time = std::chrono::hours(1);
    }

    void tearDown() override
    {
        server.reset();
        CPPUNIT_ASSERT_MESSAGE("finished was called twice, or before the source was destroyed", !application.misused());
        equal(application.admitted(), application.finishedCount() - application.refusedUnadmitted(), "an exchange was never finished");
    }

protected:
    void start(ListenerSettings listener = {"127.0.0.1:0"})
    {
        server.emplace(settings, application);
        bound = server->listen(listener);
        server->start();
    }

    /// Waits until the server's numbers are so; false after a minute.
    template <class Condition>
    bool await(Condition condition) const
    {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
        while (!condition(server->statistics()))
        {
            if (std::chrono::steady_clock::now() > deadline) return false;
            std::this_thread::yield();
        }
        return true;
    }

    RawClient client() const { return RawClient(bound.port); }

    static std::string get(const std::string& path, const std::string& headers = {})
    {
        return "GET " + path + " HTTP/1.1\r\nHost: test\r\n" + headers + "\r\n";
    }
    static std::string post(const std::string& path, const std::string& body, const std::string& headers = {})
    {
        return "POST " + path + " HTTP/1.1\r\nHost: test\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + headers + "\r\n" +
               body;
    }

    /// Answers with the text, on the loop.
    void say(const std::string& path, const std::string& text)
    {
        application.route(path,
                          [text](Exchange& exchange)
                          {
                              exchange.response.contentType = "text/plain";
                              exchange.response.body = text;
                          });
    }

    /// Answers with the request's body.
    void echo(const std::string& path, Admission admission)
    {
        TestRoute route;
        route.admission = admission;
        route.handle = [](Exchange& exchange)
        {
            exchange.response.contentType = "application/octet-stream";
            if (exchange.request.file == nullptr)
            {
                exchange.response.body = exchange.request.body;
                return;
            }
            exchange.response.body.resize(exchange.request.file->size());
            std::size_t at = 0;
            while (const auto count = exchange.request.file->read(at, std::span(exchange.response.body).subspan(at))) at += count;
        };
        application.route(path, std::move(route));
    }

    ServerSettings settings;
    RecordingApplication application;
    std::optional<Server> server;
    Server::Bound bound;
};

} // namespace portico::test
