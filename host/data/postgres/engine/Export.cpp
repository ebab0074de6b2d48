#include "host/data/postgres/PostgresEngine.h"

// Symbols that host/data/engines/DatabaseFactory.cpp loads.
extern "C" __attribute__((visibility("default"))) const char* portico_database_engine_version() { return PORTICO_VERSION; }

extern "C" __attribute__((visibility("default"))) portico::host::data::DatabaseEngine* portico_make_database_engine()
{
    return new portico::host::data::PostgresEngine;
}
