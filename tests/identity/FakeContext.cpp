#include "FakeContext.h"

#include "host/data/Migrator.h"

#include <stdexcept>

namespace portico::tests
{

FakeContext::FakeContext(Dialect dialect, std::map<std::string, std::string, std::less<>> settings)
    : _config(std::move(settings)), _place(dialect), _database(_place.open("identity"))
{
    host::data::migrate(*_database, {"identity", PORTICO_IDENTITY_MIGRATIONS}, testClock.now());
    hostInfo.serviceId = "identity";
    hostInfo.origin = "http://identity.localhost:8080";
    hostInfo.origins = {{"identity", hostInfo.origin}, {"desk", "http://desk.localhost:8080"}};
    hostInfo.plainHttp = true;
}

void FakeContext::absent() { throw std::logic_error("identity was not meant to use this"); }

} // namespace portico::tests
