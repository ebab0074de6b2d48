#pragma once

#include "host/data/DatabaseEngine.h"

namespace portico::host::data
{

/// A schema for each service in the database of the settings.
class PostgresEngine final : public DatabaseEngine
{
public:
    /// Registers POCO's connector.
    PostgresEngine();
    ~PostgresEngine() override;

    /// Connects to nothing yet.
    std::unique_ptr<ServiceDatabase> open(const DatabaseSettings& settings, std::string_view serviceId) const override;
};

} // namespace portico::host::data
