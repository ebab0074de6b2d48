#include "support/RedisServer.h"

#include "host/platform/state/redis/RedisPool.h"

#include <Poco/Net/ServerSocket.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <random>
#include <stdexcept>
#include <thread>

namespace portico::tests
{

namespace
{

namespace fs = std::filesystem;
using host::platform::RedisConnection;

/// Below the ports that outgoing connections take, above those of suites in Python (daemon.py).
std::uint16_t freePort()
{
    std::random_device random;
    for (int attempt = 0; attempt < 200; ++attempt)
    {
        const auto candidate = static_cast<std::uint16_t>(31'840 + random() % 900);
        try
        {
            const Poco::Net::ServerSocket probe(Poco::Net::SocketAddress("127.0.0.1", candidate));
            return candidate;
        }
        catch (const Poco::Exception&)
        {
            continue;
        }
    }
    throw std::runtime_error("no free port for Redis");
}

fs::path makeRedisDirectory()
{
    std::string name = (fs::temp_directory_path() / "portico-redis-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("cannot make a directory for Redis in " + fs::temp_directory_path().string());
    return name;
}

} // namespace

RedisServer::RedisServer(std::string password) : _password(std::move(password)), _port(freePort()), _directory(makeRedisDirectory())
{
    try
    {
        start();
    }
    catch (...)
    {
        kill();
        fs::remove_all(_directory);
        throw;
    }
}

RedisServer::~RedisServer()
{
    kill();
    std::error_code ignored;
    fs::remove_all(_directory, ignored);
}

host::platform::RedisSettings RedisServer::settings() const
{
    host::platform::RedisSettings settings;
    settings.port = _port;
    settings.password = _password;
    settings.timeout = std::chrono::seconds(10);
    settings.pause = std::chrono::milliseconds(0);
    return settings;
}

std::string RedisServer::ask(const std::vector<std::string_view>& command) const
{
    RedisConnection connection(settings());
    const auto reply = connection.execute(command);
    if (const auto* number = dynamic_cast<const Poco::Redis::Type<Poco::Int64>*>(reply.get())) return std::to_string(number->value());
    if (const auto* text = dynamic_cast<const Poco::Redis::Type<std::string>*>(reply.get())) return text->value();
    const auto* bulk = dynamic_cast<const Poco::Redis::Type<Poco::Redis::BulkString>*>(reply.get());
    return bulk && !bulk->value().isNull() ? bulk->value().value() : std::string();
}

void RedisServer::kill()
{
    if (_server <= 0) return;
    ::kill(_server, SIGKILL);
    while (waitpid(_server, nullptr, 0) < 0 && errno == EINTR) {}
    _server = -1;
}

void RedisServer::start()
{
    const std::string port = std::to_string(_port), directory = _directory.string(), log = (_directory / "log").string();
    _server = fork();
    if (_server == 0)
    {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execlp("redis-server", "redis-server", "--port", port.c_str(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir",
               directory.c_str(), "--logfile", log.c_str(), "--requirepass", _password.c_str(), nullptr);
        _exit(127);
    }
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!answers())
    {
        if (waitpid(_server, nullptr, WNOHANG) == _server) _server = -1;
        if (_server < 0 || std::chrono::steady_clock::now() > deadline)
        {
            std::ifstream in(log);
            throw std::runtime_error("these tests need Redis (the package redis-server), which does not start:\n" +
                                     std::string(std::istreambuf_iterator<char>(in), {}));
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

void RedisServer::freeze() { ::kill(_server, SIGSTOP); }

void RedisServer::thaw() { ::kill(_server, SIGCONT); }

bool RedisServer::answers() const
{
    try
    {
        return ask({"PING"}) == "PONG";
    }
    catch (const std::exception&)
    {
        return false;
    }
}

} // namespace portico::tests
