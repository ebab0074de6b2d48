#pragma once

#include "host/data/DatabaseEngine.h"

namespace portico::host::data
{

/// A file for each service, with one writer and several readers.
class SqliteEngine final : public DatabaseEngine
{
public:
    /// Registers POCO's connector and sets SQLite's threading mode.
    SqliteEngine();
    ~SqliteEngine() override;

    std::unique_ptr<ServiceDatabase> open(const DatabaseSettings& settings, std::string_view serviceId) const override;
};

} // namespace portico::host::data
