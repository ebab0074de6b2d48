#pragma once

#include "host/base/FileDescriptor.h"
#include "host/data/DatabaseEngine.h"
#include "host/data/WorkNotifier.h"

#include <libpq-fe.h>

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

namespace portico::host::data
{

/// `LISTEN` and `NOTIFY` on a separate connection and thread. It connects again after a failure, with growing waits, and
/// then reports work for all services, as notifications may have been missed.
class PostgresNotifier final : public WorkNotifier
{
public:
    struct Times
    {
        /// How often work is looked for that no notification came for.
        std::chrono::milliseconds look{10'000};
        /// Shortest time between two notifications that this host sends, and between two reports for one service.
        std::chrono::milliseconds betweenNotifications{50};
        std::chrono::milliseconds betweenReports{1'000};
        /// How long an answer of the server may take.
        std::chrono::milliseconds patience{5'000};
        std::chrono::milliseconds firstRetry{100};
        std::chrono::milliseconds longestRetry{5'000};
    };

    /// Connects to nothing yet. @throws std::system_error
    PostgresNotifier(std::string connectionString, Times times, OnWork onWork);
    ~PostgresNotifier() override { stop(); }

    void start() override;
    void stop() noexcept override;
    void watch(std::string_view serviceId) override;
    void unwatch(std::string_view serviceId) noexcept override;
    void notify(std::string_view serviceId) noexcept override;
    bool isReceiving() const noexcept override { return _receiving.load(); }

private:
    using Steady = std::chrono::steady_clock;
    using Connection = std::unique_ptr<PGconn, void (*)(PGconn*)>;

    void run();
    /// Null where it cannot be made, or when the notifier stops.
    Connection connect();
    /// Returns when the connection is lost or the notifier stops.
    void listen(PGconn& connection);
    /// False: the connection is lost.
    bool takeNotifications(PGconn& connection);
    bool sendNotifications(PGconn& connection);
    bool look(PGconn& connection);
    void report();
    void reportAll();
    /// Until something is there to read, the notifier is woken, or the next thing is due.
    void waitFor(int socket);
    void pause(std::chrono::milliseconds wait);
    void wake() noexcept;
    void drainWakeUps() noexcept;
    bool stopping() const noexcept { return _stopping.load(); }

    const std::string _connectionString;
    const Times _times;
    const OnWork _onWork;
    const FileDescriptor _wakeUp;
    std::atomic<bool> _receiving{false};
    std::atomic<bool> _stopping{false};
    std::mutex _mutex;
    std::set<std::string, std::less<>> _watched;
    std::set<std::string, std::less<>> _pending;

    // Only the thread uses these.
    std::set<std::string, std::less<>> _toReport;
    std::map<std::string, Steady::time_point, std::less<>> _reported;
    Steady::time_point _nextNotification;
    Steady::time_point _nextLook;
    std::thread _thread;
};

} // namespace portico::host::data
