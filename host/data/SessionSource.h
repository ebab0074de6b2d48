#pragma once

#include <Poco/AutoPtr.h>
#include <Poco/Data/Session.h>
#include <Poco/Data/SessionPool.h>

#include <string>

namespace portico::host::data
{

/// Opens the sessions of one service by a `Poco::Data::SessionPool`, which also bounds their number. Borrowed sessions stay borrowed
/// between units of work, since the pool's own get and give-back cost more than a point read: `ConnectionPool` lends them on. Thread-safe;
/// the sessions end before it.
class SessionSource
{
public:
    SessionSource(const std::string& connector, const std::string& connectionString, int maximum);
    ~SessionSource();
    SessionSource(const SessionSource&) = delete;
    SessionSource& operator=(const SessionSource&) = delete;

    /// Opens one. @throws DatabaseError Unavailable
    Poco::Data::Session open();

private:
    /// Room in POCO's thread pool (16 by default) for what one SessionPool takes from it: its janitor, and SQLite's connector while it
    /// opens.
    class ThreadRoom
    {
    public:
        ThreadRoom();
        ~ThreadRoom();
        ThreadRoom(const ThreadRoom&) = delete;
        ThreadRoom& operator=(const ThreadRoom&) = delete;
    };

    ThreadRoom _room;
    Poco::AutoPtr<Poco::Data::SessionPool> _pool;
};

} // namespace portico::host::data
