#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace portico::mobiletool
{

/// Receives the browser at the end of a sign-in (RFC 8252, 7.3), on 127.0.0.1.
class CallbackListener
{
public:
    /// @param port 0: any free port. @throws std::runtime_error if the port is taken
    explicit CallbackListener(int port);
    ~CallbackListener();
    CallbackListener(const CallbackListener&) = delete;
    CallbackListener& operator=(const CallbackListener&) = delete;

    /// Returns `http://127.0.0.1:9876/callback`.
    std::string redirectUri() const;

    enum class Verdict
    {
        Foreign, ///< another callback may follow
        Done,
        Failed
    };
    /// Passes the URL of each callback to `finish` until one is not foreign, and shows the browser how it ended. Other paths are 404.
    /// Returns Foreign if none came in time.
    Verdict wait(std::chrono::seconds longest, const std::function<Verdict(const std::string& url)>& finish);

private:
    int _socket;
    int _port = 0;
};

} // namespace portico::mobiletool
