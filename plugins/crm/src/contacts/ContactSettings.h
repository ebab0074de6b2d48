#pragma once

#include "portico/Config.h"

#include <chrono>
#include <string>

namespace portico::crm
{

/// Settings of contacts, as they were when the plugin started.
struct ContactSettings
{
    /// How long a deleted contact can be restored.
    std::chrono::hours restorable{30 * 24};
    /// Calling code for numbers typed without one, digits; empty: none.
    std::string callingCode;
};

/// @throws std::runtime_error naming the setting that is wrong.
ContactSettings readContactSettings(const Config& config);

} // namespace portico::crm
