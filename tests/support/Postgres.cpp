#include "support/Postgres.h"

#include <libpq-fe.h>

#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace portico::tests
{

namespace
{

namespace fs = std::filesystem;

constexpr std::string_view plainPassword = "s3cr't/=\\pw@";
constexpr std::string_view encodedPassword = "s3cr%27t%2F%3D%5Cpw%40";
/// Names the socket; nothing listens on the network.
constexpr const char* port = "5432";

fs::path findPrograms()
{
    if (const char* named = std::getenv("PORTICO_POSTGRES_BIN")) return named;
    fs::path newest;
    const fs::path versions = "/usr/lib/postgresql";
    if (fs::exists(versions))
        for (const auto& version : fs::directory_iterator(versions))
            if (fs::exists(version.path() / "bin/initdb") && version.path() > newest) newest = version.path();
    if (newest.empty())
        throw std::runtime_error("these tests need PostgreSQL: no initdb below /usr/lib/postgresql; install the package postgresql, or set "
                                 "PORTICO_POSTGRES_BIN to the directory of its programs");
    return newest / "bin";
}

/// The user to run the server as: empty unless the tests are root's.
const passwd* serverUser()
{
    if (geteuid() != 0) return nullptr;
    for (const char* name : {"postgres", "nobody"})
        if (const auto* user = getpwnam(name)) return user;
    throw std::runtime_error(
        "these tests are run by root, as whom PostgreSQL does not run, and there is no unprivileged user (postgres) to run it as");
}

std::vector<std::string> asServerUser(std::vector<std::string> command)
{
    if (const auto* user = serverUser())
        command.insert(command.begin(), {"setpriv", "--reuid=" + std::to_string(user->pw_uid), "--regid=" + std::to_string(user->pw_gid),
                                         "--clear-groups", "--pdeathsig=INT"});
    return command;
}

pid_t spawn(const std::vector<std::string>& command, const fs::path& log)
{
    std::vector<char*> arguments;
    for (const auto& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const pid_t child = fork();
    if (child != 0) return child;
    prctl(PR_SET_PDEATHSIG, SIGINT); // setpriv sets it again, since changing the user clears it
    const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    if (chdir("/") == 0) execvp(arguments[0], arguments.data());
    _exit(127);
}

int waitFor(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return status;
}

std::string readAll(const fs::path& file)
{
    std::ifstream in(file);
    return std::string(std::istreambuf_iterator<char>(in), {});
}

fs::path makeDirectory()
{
    std::string name = (fs::temp_directory_path() / "portico-postgres-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("cannot make a directory for PostgreSQL in " + fs::temp_directory_path().string());
    if (const auto* user = serverUser())
        if (chown(name.c_str(), user->pw_uid, user->pw_gid) != 0) throw std::runtime_error("cannot give " + name + " to the server's user");
    return name;
}

} // namespace

PostgresServer& PostgresServer::shared()
{
    static PostgresServer server;
    return server;
}

PostgresServer::PostgresServer() : _programs(findPrograms()), _directory(makeDirectory())
{
    try
    {
        makeCluster();
        start();
    }
    catch (...)
    {
        kill();
        fs::remove_all(_directory);
        throw;
    }
}

PostgresServer::~PostgresServer()
{
    kill();
    std::error_code ignored;
    fs::remove_all(_directory, ignored);
}

void PostgresServer::makeCluster()
{
    const auto passwordFile = _directory / "password";
    std::ofstream(passwordFile) << plainPassword << '\n';
    const auto log = _directory / "initdb.log";
    const int status =
        waitFor(spawn(asServerUser({(_programs / "initdb").string(), "-D", (_directory / "data").string(), "-A", "scram-sha-256", "-U",
                                    "postgres", "--pwfile=" + passwordFile.string(), "--no-sync", "-E", "UTF8", "--no-locale"}),
                      log));
    if (status != 0) throw std::runtime_error("initdb failed:\n" + readAll(log));
}

void PostgresServer::startAsStandby()
{
    const auto signal = _directory / "data/standby.signal";
    std::ofstream(signal).close();
    start();
    fs::remove(signal); // it is read once
}

void PostgresServer::start()
{
    // Acknowledged data survives the kill of the server without fsync; only a crash of the machine would lose it.
    _server = spawn(asServerUser({(_programs / "postgres").string(), "-D", (_directory / "data").string(), "-p", port, "-c",
                                  "listen_addresses=", "-c", "unix_socket_directories=" + _directory.string(), "-c", "fsync=off", "-c",
                                  "max_connections=60", "-c", "deadlock_timeout=100ms"}),
                    _directory / "server.log");
    waitUntilReady();
}

void PostgresServer::waitUntilReady()
{
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    const auto server = urlWithoutPassword("postgres");
    while (PQping(server.c_str()) != PQPING_OK)
    {
        if (std::chrono::steady_clock::now() > deadline || waitpid(_server, nullptr, WNOHANG) == _server)
            throw std::runtime_error("PostgreSQL does not start:\n" + readAll(_directory / "server.log"));
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

void PostgresServer::kill()
{
    if (_server <= 0) return;
    ::kill(_server, SIGQUIT);
    waitFor(_server);
    _server = -1;
}

std::string PostgresServer::makeDatabase()
{
    const std::string credentials = "postgres:" + std::string(encodedPassword);
    const std::string name = "test" + std::to_string(++_databases);
    const std::unique_ptr<PGconn, void (*)(PGconn*)> connection(PQconnectdb(urlWith(credentials, "postgres").c_str()), &PQfinish);
    const std::unique_ptr<PGresult, void (*)(PGresult*)> result(PQexec(connection.get(), ("CREATE DATABASE " + name).c_str()), &PQclear);
    if (PQresultStatus(result.get()) != PGRES_COMMAND_OK) throw std::runtime_error(PQerrorMessage(connection.get()));
    return urlWith(credentials, name);
}

std::string_view PostgresServer::password() noexcept { return plainPassword; }

std::string PostgresServer::urlWithoutPassword(std::string_view database) const { return urlWith("postgres", database); }

std::string PostgresServer::urlWith(std::string_view credentials, std::string_view database) const
{
    return "postgresql://" + std::string(credentials) + "@/" + std::string(database) + "?host=" + _directory.string() + "&port=" + port;
}

} // namespace portico::tests
