#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace portico::tests
{

/// A PostgreSQL of the tests' own: a new cluster in a temporary directory, on a Unix socket only, run as another user if the tests are
/// root's (PostgreSQL refuses to be). It ends with the process, however that ends. Needs the server's programs below /usr/lib/postgresql,
/// or in the directory that PORTICO_POSTGRES_BIN names. Used by one thread.
class PostgresServer
{
public:
    /// The one of this process, started at the first call. @throws std::runtime_error with the reason when it cannot be
    static PostgresServer& shared();

    PostgresServer();
    ~PostgresServer();
    PostgresServer(const PostgresServer&) = delete;
    PostgresServer& operator=(const PostgresServer&) = delete;

    /// Makes an empty database; its URL. The password in it needs percent-encoding, as real ones do.
    std::string makeDatabase();
    /// The password as it is.
    static std::string_view password() noexcept;
    /// The URL without the password.
    std::string urlWithoutPassword(std::string_view database) const;

    /// Ends the server at once, as a crash does: connections break.
    void kill();
    /// Starts it again on the same data.
    void start();
    /// The same as a standby: it only reads.
    void startAsStandby();

private:
    void makeCluster();
    void waitUntilReady();
    std::string urlWith(std::string_view credentials, std::string_view database) const;

    std::filesystem::path _programs;
    std::filesystem::path _directory;
    pid_t _server = -1;
    int _databases = 0;
};

} // namespace portico::tests
