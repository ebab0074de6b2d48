#include "host/data/SessionSource.h"

#include "portico/Database.h"

#include <Poco/Exception.h>
#include <Poco/ThreadPool.h>

namespace portico::host::data
{

namespace
{

constexpr int threadsPerPool = 2;
/// `ConnectionPool` closes idle connections itself.
constexpr int janitorSeconds = 3600;
/// A connection that is closed leaves the count a moment after its successor may be opened.
constexpr int closing = 2;

} // namespace

SessionSource::ThreadRoom::ThreadRoom() { Poco::ThreadPool::defaultPool().addCapacity(threadsPerPool); }
SessionSource::ThreadRoom::~ThreadRoom() { Poco::ThreadPool::defaultPool().addCapacity(-threadsPerPool); }

SessionSource::SessionSource(const std::string& connector, const std::string& connectionString, int maximum)
    : _pool(new Poco::Data::SessionPool(connector, connectionString, 1, maximum + closing, janitorSeconds))
{
}

SessionSource::~SessionSource() { _pool->shutdown(); }

Poco::Data::Session SessionSource::open()
{
    try
    {
        return _pool->get();
    }
    catch (const Poco::Exception& error)
    {
        throw DatabaseError(DatabaseError::Kind::Unavailable, "08001", {},
                            "SQLSTATE 08001: the database cannot be opened: " + error.displayText());
    }
}

} // namespace portico::host::data
