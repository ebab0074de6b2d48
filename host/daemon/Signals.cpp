#include "host/daemon/Signals.h"

#include <initializer_list>
#include <pthread.h>
#include <unistd.h>

namespace portico::host::daemon
{

Signals::Signals()
{
    ::sigemptyset(&_signals);
    for (const int number : {SIGTERM, SIGINT, SIGQUIT, SIGHUP}) ::sigaddset(&_signals, number);
    ::pthread_sigmask(SIG_BLOCK, &_signals, nullptr);
    // A client that disconnects is an error of send(), not the end of the daemon.
    std::signal(SIGPIPE, SIG_IGN);
    // A limit on the size of files is an error of write(), like a disk that is full.
    std::signal(SIGXFSZ, SIG_IGN);
}

Signals::Request Signals::wait() const
{
    int number = 0;
    while (::sigwait(&_signals, &number) != 0) {}
    return number == SIGHUP ? Request::Reload : Request::Stop;
}

void Signals::requestStop() { ::kill(::getpid(), SIGTERM); }

} // namespace portico::host::daemon
