#include "host/data/postgres/PostgresEngine.h"

// What host/data/engines/DatabaseFactory.cpp looks for.
extern "C" __attribute__((visibility("default"))) const char* portico_database_engine_version() { return PORTICO_VERSION; }

extern "C" __attribute__((visibility("default"))) portico::host::data::DatabaseEngine* portico_make_database_engine()
{
    return new portico::host::data::PostgresEngine;
}
