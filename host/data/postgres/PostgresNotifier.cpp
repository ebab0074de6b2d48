#include "host/data/postgres/PostgresNotifier.h"

#include "host/base/Text.h"
#include "host/data/postgres/PostgresExchange.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>

namespace portico::host::data
{

namespace
{

constexpr std::chrono::milliseconds connectTurn{100};
constexpr std::chrono::milliseconds connectPatience{10'000};

/// One channel for all services, whose ids are the payloads: a LISTEN per service would have to be repeated whenever a service is added or
/// removed.
std::string listenCommand()
{
    return "SET statement_timeout TO 5000; SET client_min_messages TO warning; " + std::string(goneClientSettings) + " LISTEN portico_work";
}

bool succeeded(const PGresult* result) noexcept
{
    const auto status = PQresultStatus(result);
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

std::string notifyCommand(const std::set<std::string, std::less<>>& services)
{
    std::string text;
    for (const auto& service : services)
        text += (text.empty() ? "SELECT pg_notify('portico_work', " : ", pg_notify('portico_work', ") + inQuotes(service, '\'') + ")";
    return text;
}

/// The names of services with events that were not dispatched, or jobs that are due.
std::string lookCommand(const std::set<std::string, std::less<>>& services)
{
    using namespace std::chrono;
    const auto now = std::to_string(duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count());
    std::string text;
    for (const auto& service : services)
    {
        const auto schema = inQuotes(service, '"');
        text += (text.empty() ? "SELECT " : " UNION ALL SELECT ") + inQuotes(service, '\'') + " WHERE EXISTS (SELECT 1 FROM " + schema +
                ".portico_event WHERE dispatched_at IS NULL) OR EXISTS (SELECT 1 FROM " + schema +
                ".portico_job WHERE dead_at IS NULL AND due_at <= " + now + ")";
    }
    return text;
}

} // namespace

PostgresNotifier::PostgresNotifier(std::string connectionString, Times times, OnWork onWork)
    : _connectionString(std::move(connectionString)),
      _times(times),
      _onWork(std::move(onWork)),
      _wakeUp(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
{
    if (!_wakeUp) throw std::system_error(errno, std::generic_category(), "eventfd");
}

void PostgresNotifier::start()
{
    if (_thread.joinable()) return;
    _stopping.store(false);
    _thread = std::thread([this] { run(); });
    ::pthread_setname_np(_thread.native_handle(), "work notifier");
}

void PostgresNotifier::stop() noexcept
{
    _stopping.store(true);
    wake();
    if (_thread.joinable()) _thread.join();
}

void PostgresNotifier::watch(std::string_view serviceId)
{
    const std::lock_guard lock(_mutex);
    _watched.emplace(serviceId);
}

void PostgresNotifier::unwatch(std::string_view serviceId) noexcept
{
    const std::lock_guard lock(_mutex);
    if (const auto found = _watched.find(serviceId); found != _watched.end()) _watched.erase(found);
}

void PostgresNotifier::notify(std::string_view serviceId) noexcept
try
{
    {
        const std::lock_guard lock(_mutex);
        const bool first = _pending.empty();
        _pending.emplace(serviceId);
        if (!first) return;
    }
    wake();
}
catch (const std::bad_alloc&) // other hosts find the work when they poll
{
}

void PostgresNotifier::wake() noexcept { ::eventfd_write(_wakeUp.get(), 1); }

void PostgresNotifier::drainWakeUps() noexcept
{
    eventfd_t ignored = 0;
    ::eventfd_read(_wakeUp.get(), &ignored);
}

void PostgresNotifier::run()
{
    auto retry = _times.firstRetry;
    while (!stopping())
    {
        if (auto connection = connect())
        {
            _receiving.store(true);
            retry = _times.firstRetry;
            // Notifications may have been missed.
            reportAll();
            listen(*connection);
            _receiving.store(false);
            // Each service looks for itself from now on.
            if (!stopping()) reportAll();
        }
        if (stopping()) return;
        pause(retry);
        retry = std::min(2 * retry, _times.longestRetry);
    }
}

PostgresNotifier::Connection PostgresNotifier::connect()
{
    Connection connection(PQconnectStart(_connectionString.c_str()), &PQfinish);
    const auto deadline = Steady::now() + connectPatience;
    for (auto status = PGRES_POLLING_WRITING; status != PGRES_POLLING_OK; status = PQconnectPoll(connection.get()))
    {
        const bool failed = !connection || PQstatus(connection.get()) == CONNECTION_BAD || status == PGRES_POLLING_FAILED;
        if (failed || stopping() || Steady::now() > deadline) return {nullptr, &PQfinish};
        pollfd socket{PQsocket(connection.get()), static_cast<short>(status == PGRES_POLLING_READING ? POLLIN : POLLOUT), 0};
        while (::poll(&socket, 1, static_cast<int>(connectTurn.count())) == 0)
            if (stopping() || Steady::now() > deadline) return {nullptr, &PQfinish};
    }
    ignoreNotices(*connection);
    try
    {
        const auto command = listenCommand();
        const bool sent = PQsendQuery(connection.get(), command.c_str()) != 0;
        if (sent && succeeded(awaitAnswer(connection.get(), _times.patience, command).get())) return connection;
    }
    catch (const DatabaseError&) // NOLINT(bugprone-empty-catch): tried again, as what could not be sent
    {
    }
    return {nullptr, &PQfinish};
}

void PostgresNotifier::listen(PGconn& connection)
{
    _nextLook = Steady::now() + _times.look;
    try
    {
        while (!stopping() && takeNotifications(connection) && sendNotifications(connection) && look(connection))
        {
            report();
            waitFor(PQsocket(&connection));
        }
    }
    catch (const DatabaseError&) // NOLINT(bugprone-empty-catch): the connection is given up
    {
    }
}

bool PostgresNotifier::takeNotifications(PGconn& connection)
{
    if (PQconsumeInput(&connection) == 0 || PQstatus(&connection) != CONNECTION_OK) return false;
    while (PGnotify* notification = PQnotifies(&connection))
    {
        const std::unique_ptr<PGnotify, void (*)(void*)> freeIt(notification, &PQfreemem);
        if (notification->be_pid != PQbackendPID(&connection)) _toReport.emplace(notification->extra);
    }
    return true;
}

bool PostgresNotifier::sendNotifications(PGconn& connection)
{
    const auto now = Steady::now();
    if (now < _nextNotification) return true;
    std::set<std::string, std::less<>> pending;
    {
        const std::lock_guard lock(_mutex);
        pending.swap(_pending);
    }
    if (pending.empty()) return true;
    _nextNotification = now + _times.betweenNotifications;
    const auto command = notifyCommand(pending);
    return PQsendQuery(&connection, command.c_str()) != 0 && succeeded(awaitAnswer(&connection, _times.patience, command).get());
}

bool PostgresNotifier::look(PGconn& connection)
{
    if (Steady::now() < _nextLook) return true;
    _nextLook = Steady::now() + _times.look;
    std::set<std::string, std::less<>> watched;
    {
        const std::lock_guard lock(_mutex);
        watched = _watched;
    }
    if (watched.empty()) return true;
    const auto command = lookCommand(watched);
    if (PQsendQuery(&connection, command.c_str()) == 0) return false;
    const auto result = awaitAnswer(&connection, _times.patience, command);
    if (PQstatus(&connection) != CONNECTION_OK) return false;
    if (!succeeded(result.get()))
        reportAll(); // for example because a service's tables were dropped: the other services must not wait for it
    else
        for (int row = 0; row < PQntuples(result.get()); ++row) _toReport.emplace(PQgetvalue(result.get(), row, 0));
    return true;
}

void PostgresNotifier::report()
{
    const auto now = Steady::now();
    for (auto service = _toReport.begin(); service != _toReport.end();)
    {
        auto& last = _reported[*service];
        if (now < last + _times.betweenReports)
        {
            ++service;
            continue;
        }
        last = now;
        _onWork(*service);
        service = _toReport.erase(service);
    }
}

void PostgresNotifier::reportAll()
{
    _toReport.clear();
    _onWork({});
}

void PostgresNotifier::waitFor(int socket)
{
    auto until = _nextLook;
    for (const auto& service : _toReport) until = std::min(until, _reported[service] + _times.betweenReports);
    {
        const std::lock_guard lock(_mutex);
        if (!_pending.empty()) until = std::min(until, _nextNotification);
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Steady::now()).count();
    std::array<pollfd, 2> watched = {{{socket, POLLIN, 0}, {_wakeUp.get(), POLLIN, 0}}};
    ::poll(watched.data(), watched.size(), static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000)));
    drainWakeUps();
}

void PostgresNotifier::pause(std::chrono::milliseconds wait)
{
    const auto until = Steady::now() + wait;
    while (!stopping())
    {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Steady::now()).count();
        if (left <= 0) return;
        pollfd woken{_wakeUp.get(), POLLIN, 0};
        ::poll(&woken, 1, static_cast<int>(left));
        drainWakeUps();
    }
}

} // namespace portico::host::data
