#include "support/TestDatabase.h"

#include "support/Postgres.h"

#include <stdlib.h>

#include <stdexcept>

namespace portico::tests
{

TemporaryDirectory::TemporaryDirectory()
{
    std::string name = (std::filesystem::temp_directory_path() / "portico-test-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("cannot make a temporary directory");
    _path = name;
}

TemporaryDirectory::~TemporaryDirectory()
{
    std::error_code ignored;
    std::filesystem::remove_all(_path, ignored);
}

TestDatabase::TestDatabase(Dialect dialect, host::data::Sessions sessions)
{
    settings.engine = dialect;
    settings.sessions = sessions;
    if (dialect == Dialect::SQLite)
        settings.directory = _directory.path();
    else
        settings.url = PostgresServer::shared().makeDatabase();
}

const host::data::DatabaseFactory& TestDatabase::factory()
{
    static const host::data::DatabaseFactory factory;
    return factory;
}

} // namespace portico::tests
