#include "ctl/TemporaryDirectory.h"
#include "support/Suite.h"

#include "host/admin/ControlServer.h"
#include "host/base/UnixSocket.h"
#include "host/control/ControlSocket.h"
#include "host/ctl/Client.h"

#include <algorithm>
#include <atomic>
#include <latch>
#include <optional>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace portico::test
{

using namespace host::admin;
using namespace host::control;
using host::bindUnix;
using host::connectUnix;
using host::FileDescriptor;
using host::ctl::Client;
using host::ctl::Refused;
using host::ctl::Unreachable;
using portico::testing::equal;
using portico::testing::Suite;

namespace json = boost::json;

class ControlTest : public Suite<ControlTest>
{
    void setUp() override
    {
        _commands.add("echo", [](const ControlRequest& request) { return json::value(request.arguments); });
        _commands.add("who",
                      [](const ControlRequest& request) {
                          return json::value{{"uid", request.peer.user}, {"text", request.peer.text}};
                      });
        _commands.add("refuse", [](const ControlRequest&) -> json::value { throw Refused("busy", "Not now.", {{"left", 3}}); });
        _commands.add("break", [](const ControlRequest&) -> json::value { throw std::runtime_error("It broke."); });
        _commands.add("flag", [](const ControlRequest& request) { return json::value(request.flag("on")); });
    }

    TEST(answersWithCallersIdentity)
    {
        const ControlServer server(socket(), _commands);
        CHECK(json::value({{"a", 1}}) == Client(socket()).call("echo", {{"a", 1}}));
        const auto who = Client(socket()).call("who");
        equal(static_cast<std::int64_t>(::getuid()), who.at("uid").to_number<std::int64_t>());
        CHECK(std::string(who.at("text").as_string()).find("pid " + std::to_string(::getpid())) != std::string::npos);
    }

    TEST(refusalCarriesCodeSentenceAndResult)
    {
        const ControlServer server(socket(), _commands);
        try
        {
            Client(socket()).call("refuse");
            CPPUNIT_FAIL("not refused");
        }
        catch (const Refused& refused)
        {
            equal("busy", refused.code());
            equal("Not now.", std::string(refused.what()));
            CHECK(json::value({{"left", 3}}) == refused.result());
        }
        CPPUNIT_ASSERT_THROW(Client(socket()).call("break"), Refused);
        CPPUNIT_ASSERT_THROW(Client(socket()).call("flag", {{"on", "yes"}}), Refused);
    }

    TEST(nonsenseIsAnsweredNotFatal)
    {
        const ControlServer server(socket(), _commands);
        for (const std::string nonsense :
             {"", "{", "[]", "{\"command\":7}", "{\"command\":\"echo\",\"arguments\":[]}", "{\"command\":\"no such\"}"})
        {
            LineChannel channel(connectUnix(socket()));
            channel.write(nonsense);
            const auto answer = channel.read();
            CPPUNIT_ASSERT_MESSAGE(nonsense, answer.has_value());
            CPPUNIT_ASSERT_MESSAGE(nonsense, !json::parse(*answer).at("ok").as_bool());
        }
        CHECK(Client(socket()).call("echo").is_object());
    }

    TEST(severalLinesOnOneConnection)
    {
        const ControlServer server(socket(), _commands);
        LineChannel channel(connectUnix(socket()));
        channel.write("{\"command\":\"echo\",\"arguments\":{\"n\":1}}\n{\"command\":\"echo\",\"arguments\":{\"n\":2}}");
        equal("{\"ok\":true,\"result\":{\"n\":1}}", channel.read().value());
        equal("{\"ok\":true,\"result\":{\"n\":2}}", channel.read().value());
    }

    TEST(slowCommandDoesNotHoldOthers)
    {
        std::latch entered(1);
        std::latch released(1);
        _commands.add("slow",
                      [&](const ControlRequest&)
                      {
                          entered.count_down();
                          released.wait();
                          return json::value("done");
                      });
        const ControlServer server(socket(), _commands);
        std::jthread asker([this] { CHECK(json::value("done") == Client(socket()).call("slow")); });
        entered.wait();
        CHECK(Client(socket()).call("echo").is_object());
        released.count_down();
    }

    TEST(socketIsPrivate)
    {
        const auto before = ::umask(0);
        const ControlServer server(socket(), _commands);
        ::umask(before);
        struct stat status
        {
        };
        equal(0, ::stat(socket().c_str(), &status));
        equal(0600, static_cast<unsigned>(status.st_mode & 0777));
    }

    /// Even if the user gets past the socket's mode. Needs root to become another user.
    TEST(otherUsersAreRefused)
    {
        if (::geteuid() != 0) return;
        ::chmod(_directory.path().c_str(), 0777);
        const ControlServer server(socket(), _commands);
        ::chmod(socket().c_str(), 0777);
        const auto child = ::fork();
        if (child == 0) ::_exit(becomeNobodyAndAsk());
        int status = 0;
        equal(child, ::waitpid(child, &status, 0));
        CHECK(WIFEXITED(status));
        equal(0, WEXITSTATUS(status));
    }

    TEST(longPathWorks)
    {
        const auto directory = _directory.path() / std::string(120, 'd');
        std::filesystem::create_directory(directory);
        const ControlServer server(directory / "control.sock", _commands);
        CHECK(Client(directory / "control.sock").call("echo").is_object());
    }

    TEST(leftOverSocketIsReplaced)
    {
        {
            const auto left = bindUnix(socket(), 0600);
        }
        CHECK(std::filesystem::exists(socket()));
        CPPUNIT_ASSERT_THROW(Client(socket()).call("echo"), Unreachable);
        {
            const ControlServer server(socket(), _commands);
            CHECK(Client(socket()).call("echo").is_object());
        }
        CHECK(!std::filesystem::exists(socket()));
    }

    /// A slip in `control.socket` must not cost a file, or another daemon its socket.
    TEST(existingFilesAndSocketsStay)
    {
        const auto file = _directory.write("precious", "kept");
        CPPUNIT_ASSERT_THROW(ControlServer(file, _commands), std::system_error);
        equal(std::uintmax_t{4}, std::filesystem::file_size(file));
        const ControlServer first(socket(), _commands);
        CPPUNIT_ASSERT_THROW(ControlServer(socket(), _commands), std::system_error);
        CHECK(Client(socket()).call("echo").is_object());
    }

    TEST(absentDaemonIsUnreachable) { CPPUNIT_ASSERT_THROW(Client(_directory.path() / "none.sock").call("status"), Unreachable); }

    TEST(endsWhileAClientIsIdle)
    {
        std::optional<LineChannel> idle;
        {
            const ControlServer server(socket(), _commands);
            idle.emplace(connectUnix(socket()));
            idle->write("{\"command\":\"echo\"}");
            CHECK(idle->read().has_value());
        }
        CHECK(!idle->read().has_value());
    }

    /// More than there may be, half of them with a part of a request.
    TEST(silentConnectionsBlockNoClient)
    {
        const ControlServer server(socket(), _commands, {.connections = 40, .firstRequest = std::chrono::hours(1)});
        std::vector<FileDescriptor> silent;
        for (int i = 0; i < 100; ++i)
        {
            silent.push_back(connectUnix(socket()));
            if (i % 2 == 0) equal(ssize_t{3}, ::send(silent.back().get(), "{\"c", 3, MSG_NOSIGNAL));
        }
        CHECK(Client(socket()).call("echo").is_object());
        // Those that came last are still there.
        LineChannel last(std::move(silent.back()));
        last.write("{\"command\":\"echo\"}");
        CHECK(last.read().has_value());
    }

    TEST(silentConnectionIsClosed)
    {
        const ControlServer server(socket(), _commands, {.firstRequest = std::chrono::milliseconds(10)});
        // The second one shows that the server still works.
        for (int i = 0; i < 2; ++i)
        {
            LineChannel silent(connectUnix(socket()));
            CHECK(!silent.read().has_value());
        }
    }

    TEST(longCommandsLeaveOthersTheirRoom)
    {
        constexpr int askers = 10;
        std::latch entered(4);
        std::latch released(1);
        std::atomic<int> running = 0;
        std::atomic<int> most = 0;
        _commands.add("slow",
                      [&](const ControlRequest&)
                      {
                          most = std::max(most.load(), ++running);
                          if (!released.try_wait()) entered.count_down();
                          released.wait();
                          --running;
                          return json::value("done");
                      });
        const ControlServer server(socket(), _commands, {.sameCommand = 4});
        std::atomic<int> done = 0;
        {
            std::vector<std::jthread> threads;
            for (int i = 0; i < askers; ++i)
                threads.emplace_back([&] { done += Client(socket()).call("slow") == json::value("done") ? 1 : 0; });
            entered.wait();
            CHECK(Client(socket()).call("echo").is_object());
            released.count_down();
        }
        equal(askers, done.load());
        equal(4, most.load());
    }

    TEST(oneTooManyIsRefused)
    {
        std::latch entered(2);
        std::latch released(1);
        _commands.add("slow",
                      [&](const ControlRequest&)
                      {
                          entered.count_down();
                          released.wait();
                          return json::value("done");
                      });
        const ControlServer server(socket(), _commands, {.connections = 2, .keptForRoot = 0});
        {
            std::vector<std::jthread> threads;
            for (int i = 0; i < 2; ++i) threads.emplace_back([this] { Client(socket()).call("slow"); });
            entered.wait();
            std::string code;
            try
            {
                Client(socket()).call("echo");
            }
            catch (const Refused& refused)
            {
                code = refused.code();
            }
            released.count_down();
            equal("busy", code);
        }
        while (!answersEcho()) {}
    }

    TEST(tooLongRequestIsRefused)
    {
        const ControlServer server(socket(), _commands, {.firstRequest = std::chrono::hours(1), .requestBytes = 1000});
        try
        {
            Client(socket()).call("echo", {{"text", std::string(5'000'000, 'x')}});
            CPPUNIT_FAIL("not refused");
        }
        catch (const Refused& refused)
        {
            equal("invalid_request", refused.code());
        }
        CHECK(Client(socket()).call("echo").is_object());
    }

    /// Its command's thread waits for the peer to read.
    TEST(endsWhileAnAnswerIsNotTaken)
    {
        std::latch entered(1);
        _commands.add("large",
                      [&](const ControlRequest&)
                      {
                          entered.count_down();
                          return json::value(std::string(16'000'000, 'x'));
                      });
        std::optional<FileDescriptor> peer;
        {
            const ControlServer server(socket(), _commands);
            peer.emplace(connectUnix(socket()));
            const std::string request = "{\"command\":\"large\"}\n";
            equal(static_cast<ssize_t>(request.size()), ::send(peer->get(), request.data(), request.size(), 0));
            entered.wait();
        }
        CHECK(!std::filesystem::exists(socket()));
    }

    std::filesystem::path socket() const { return _directory.path() / "control.sock"; }

    bool answersEcho() const
    {
        try
        {
            return Client(socket()).call("echo").is_object();
        }
        catch (const Refused&)
        {
            // Those that were answered have not been let go of yet.
            return false;
        }
    }

    int becomeNobodyAndAsk() const
    {
        if (::setgid(65534) != 0 || ::setuid(65534) != 0) return 1;
        try
        {
            Client(socket()).call("echo");
            return 2;
        }
        catch (const Refused& refused)
        {
            return refused.code() == "forbidden" ? 0 : 3;
        }
        catch (const std::exception&)
        {
            return 4;
        }
    }

    TemporaryDirectory _directory;
    ControlCommands _commands;
};

} // namespace portico::test
