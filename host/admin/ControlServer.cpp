#include "host/admin/ControlServer.h"

#include "host/base/ReadFiles.h"
#include "host/base/UnixSocket.h"
#include "host/control/ControlSocket.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <system_error>

namespace portico::host::admin
{

CommandThreads::CommandThreads(std::size_t atFirst)
{
    for (std::size_t i = 0; i < atFirst; ++i) addThread();
}

CommandThreads::~CommandThreads()
{
    for (auto& thread : _threads) thread.request_stop();
}

void CommandThreads::run(std::function<void()> work)
{
    {
        const std::lock_guard lock(_mutex);
        _queue.push_back(std::move(work));
        if (_queue.size() > _idle) try
            {
                addThread();
            }
            catch (const std::system_error&)
            {
                // The limit on tasks is reached: a running thread handles it when it is done.
            }
    }
    _wake.notify_one();
}

void CommandThreads::addThread()
{
    _threads.emplace_back([this](const std::stop_token& stop) { serve(stop); });
}

void CommandThreads::serve(const std::stop_token& stop)
{
    std::unique_lock lock(_mutex);
    while (!stop.stop_requested())
    {
        ++_idle;
        const bool found = _wake.wait(lock, stop, [this] { return !_queue.empty(); });
        --_idle;
        if (!found || stop.stop_requested()) return;
        const auto work = std::move(_queue.front());
        _queue.pop_front();
        lock.unlock();
        work();
        lock.lock();
    }
}

using namespace std::chrono_literals;

namespace
{

/// There before anything is asked; further ones come when commands run at once.
constexpr std::size_t threadsAtFirst = 2;
/// For a peer to take its answer.
constexpr int sendPatienceMs = 30'000;
/// Until descriptors may have become free.
constexpr int acceptPauseMs = 100;

constexpr const char* forbidden =
    R"({"ok":false,"error":{"code":"forbidden","message":"Only root and the user of the daemon may use the control socket."}})";
constexpr const char* full =
    R"({"ok":false,"error":{"code":"busy","message":"The control socket has as many commands under way as it takes. Try again when one is done."}})";
constexpr const char* tooLong =
    R"({"ok":false,"error":{"code":"invalid_request","message":"The request is longer than the control socket takes."}})";

/// Without its name: looking that up may take long, and is a command's matter.
Peer peerOf(int socket)
{
    ucred credentials{};
    socklen_t size = sizeof credentials;
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0)
        throw std::system_error(errno, std::generic_category(), "Cannot tell who is on the control socket");
    return {credentials.uid, credentials.pid, {}};
}

/// Sends a last line to a peer. The socket's buffer has room for it, or the peer does not read anyway. Always returns false.
bool refuse(int socket, std::string_view line)
{
    const auto text = std::string(line) + "\n";
    // A failure to send is ignored: the peer has gone.
    static_cast<void>(::send(socket, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
    return false;
}

FileDescriptor newEvent()
{
    FileDescriptor event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!event) throw std::system_error(errno, std::generic_category(), "Cannot make an event descriptor");
    return event;
}

FileDescriptor newListener(const std::filesystem::path& path)
{
    auto listener = bindUnix(path, S_IRUSR | S_IWUSR);
    // A client that disconnected between poll and accept must not block it.
    ::fcntl(listener.get(), F_SETFL, O_NONBLOCK);
    if (::listen(listener.get(), 16) != 0) throw std::system_error(errno, std::generic_category(), "Cannot listen on " + path.string());
    return listener;
}

} // namespace

ControlServer::ControlServer(std::filesystem::path path, const ControlCommands& commands, ControlLimits limits)
    : _path(std::move(path)),
      _commands(commands),
      _limits(limits),
      _listener(newListener(_path)),
      _stop(newEvent()),
      _wake(newEvent()),
      _threads(threadsAtFirst),
      _acceptThread([this] { serve(); })
{
}

ControlServer::~ControlServer()
{
    ::eventfd_write(_stop.get(), 1);
    _acceptThread.join();
    std::error_code ignored;
    std::filesystem::remove(_path, ignored);
}

void ControlServer::serve()
{
    bool listening = true;
    for (;;)
    {
        auto polled = waitedFor(listening);
        if (::poll(polled.data(), polled.size(), pollTimeout(listening)) < 0 && errno != EINTR) return;
        if (polled[0].revents != 0) return;
        if (polled[1].revents != 0) takeBackFinished();
        // Received before new connections are accepted, so that a client that sent data is not closed for them. `polled` has the
        // descriptors of the conversations in their order; those that just finished follow.
        auto next = _reading.begin();
        for (std::size_t i = 3; i < polled.size(); ++i)
            if (const auto place = next++; polled[i].revents != 0 && !receive(*place)) _reading.erase(place);
        takeRequests();
        const auto now = std::chrono::steady_clock::now();
        std::erase_if(_reading, [now](const Conversation& each) { return each.deadline <= now; });
        startWaiting();
        listening = polled[2].revents == 0 || accept();
    }
}

std::vector<pollfd> ControlServer::waitedFor(bool listening) const
{
    std::vector<pollfd> polled{{_stop.get(), POLLIN, 0}, {_wake.get(), POLLIN, 0}, {listening ? _listener.get() : -1, POLLIN, 0}};
    for (const auto& each : _reading) polled.push_back({each.socket.get(), POLLIN, 0});
    return polled;
}

int ControlServer::pollTimeout(bool listening) const
{
    if (!listening) return acceptPauseMs;
    const auto first = std::ranges::min_element(_reading, {}, &Conversation::deadline);
    if (first == _reading.end()) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(first->deadline - std::chrono::steady_clock::now());
    return static_cast<int>(std::clamp<std::chrono::milliseconds>(left, 0ms, 1h).count());
}

bool ControlServer::accept()
{
    FileDescriptor socket(::accept4(_listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    // Out of descriptors: closes a silent connection.
    if (!socket && (errno == EMFILE || errno == ENFILE) && !_reading.empty()) _reading.pop_front();
    if (!socket) return errno == EAGAIN || errno == ECONNABORTED || errno == EINTR;
    try
    {
        auto peer = peerOf(socket.get());
        if (!makeRoom(peer)) return !refuse(socket.get(), full);
        const bool allowed = peer.user == 0 || peer.user == ::geteuid();
        const auto deadline = std::chrono::steady_clock::now() + _limits.firstRequest;
        _reading.push_back({std::move(socket), std::move(peer), allowed, deadline, {}, {}, {}, false});
    }
    catch (const std::system_error&)
    {
        // The peer went away.
    }
    return true;
}

bool ControlServer::makeRoom(const Peer& peer)
{
    const auto most = _limits.connections - (peer.user == 0 ? 0 : _limits.keptForRoot);
    if (_reading.size() + _waiting.size() + _running.size() < most) return true;
    if (_reading.empty()) return false;
    _reading.pop_front();
    return true;
}

bool ControlServer::receive(Conversation& conversation) const
{
    std::array<char, 65536> chunk;
    const auto got = ::recv(conversation.socket.get(), chunk.data(), chunk.size(), 0);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0) return false;
    conversation.input.append(chunk.data(), static_cast<std::size_t>(got));
    return true;
}

void ControlServer::takeRequests()
{
    for (auto next = _reading.begin(); next != _reading.end();)
        if (const auto place = next++; !takeRequest(place)) _reading.erase(place);
}

bool ControlServer::takeRequest(Place place)
{
    auto& input = place->input;
    const auto end = input.find('\n');
    if (std::min(end, input.size()) > _limits.requestBytes) return refuse(place->socket.get(), tooLong);
    if (end == std::string::npos) return true;
    // The request was read all the same: closing with unread data would take the answer away from the peer.
    if (!place->allowed) return refuse(place->socket.get(), forbidden);
    place->request = input.substr(0, end);
    place->command = ControlCommands::commandOf(place->request);
    input.erase(0, end + 1);
    _waiting.splice(_waiting.end(), _reading, place);
    return true;
}

void ControlServer::startWaiting()
{
    for (auto next = _waiting.begin(); next != _waiting.end();)
    {
        const auto place = next++;
        if (_runs[place->command] >= _limits.sameCommand) continue;
        ++_runs[place->command];
        _running.splice(_running.end(), _waiting, place);
        _threads.run([this, place] { answer(place); });
    }
}

void ControlServer::answer(Place place)
{
    const auto user = place->peer.user;
    place->peer.text =
        nameOfUser(user).value_or("unknown") + " (uid " + std::to_string(user) + ", pid " + std::to_string(place->peer.process) + ")";
    place->broken = !send(place->socket.get(), _commands.answer(place->request, place->peer));
    {
        const std::lock_guard lock(_mutex);
        _finished.push_back(place);
    }
    ::eventfd_write(_wake.get(), 1);
}

void ControlServer::takeBackFinished()
{
    eventfd_t ignored = 0;
    ::eventfd_read(_wake.get(), &ignored);
    std::vector<Place> finished;
    {
        const std::lock_guard lock(_mutex);
        finished.swap(_finished);
    }
    for (const auto place : finished)
    {
        if (--_runs[place->command] == 0) _runs.erase(place->command);
        place->deadline = std::chrono::steady_clock::now() + _limits.nextRequest;
        if (place->broken)
            _running.erase(place);
        else
            _reading.splice(_reading.end(), _running, place);
    }
}

bool ControlServer::send(int socket, std::string line) const
{
    line.push_back('\n');
    for (std::size_t sent = 0; sent < line.size();)
    {
        const auto count = ::send(socket, line.data() + sent, line.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count >= 0)
        {
            sent += static_cast<std::size_t>(count);
            continue;
        }
        if (errno == EINTR) continue;
        if (errno != EAGAIN) return false;
        std::array<pollfd, 2> polled{pollfd{socket, POLLOUT, 0}, pollfd{_stop.get(), POLLIN, 0}};
        // A client that does not read its answer blocks neither its thread nor the end of the daemon.
        if (::poll(polled.data(), polled.size(), sendPatienceMs) == 0 || polled[0].revents == 0) return false;
    }
    return true;
}

} // namespace portico::host::admin
