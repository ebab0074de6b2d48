#pragma once

#include "host/http/Application.h"
#include "host/http/ServerSettings.h"
#include "host/http/ServerStatistics.h"

#include <chrono>
#include <memory>
#include <string>

namespace portico::host::http
{

/// Serves HTTP/1.1 on event loops: a connection without a complete request costs a little memory and no thread.
/// The functions of this class are for one thread, `statistics` for any.
class Server
{
public:
    /// @param application Must outlive the server. @throws std::invalid_argument for a malformed trusted proxy.
    Server(ServerSettings settings, Application& application);
    /// Stops at once if `stop` was not called.
    ~Server();

    /// Where a listener really listens: port 0 has become a number.
    struct Bound
    {
        std::string address;
        unsigned short port = 0;
    };

    /// Binds at once; accepts from `start` on, or from now on if the server runs.
    /// @throws std::runtime_error that names the address, the certificate file and what is wrong.
    Bound listen(const ListenerSettings& settings);
    /// Starts the threads. Once.
    void start();
    /// Accepts no more connections, closes idle ones, lets running requests finish until `deadline`, then closes the rest. Running handlers
    /// are always waited for, since they use memory of the server. Afterwards the application is not called any more.
    /// @return False if connections had to be closed by force.
    bool stop(std::chrono::milliseconds deadline);
    /// Reads the certificate files of all listeners again; open connections are not affected.
    /// @throws std::runtime_error if a file cannot be used: that listener keeps its certificate, the others have their new one.
    void reloadCertificates();

    ServerStatistics statistics() const noexcept;

private:
    class Parts;
    std::unique_ptr<Parts> _parts;
};

} // namespace portico::host::http
