#pragma once

#include "contacts/ContactSettings.h"

#include "portico/Config.h"

#include <chrono>
#include <cstdint>
#include <string>

namespace portico::crm
{

/// Settings of imports, as they were when the plugin started.
struct ImportSettings
{
    std::uint64_t fileBytes = 50ULL * 1024 * 1024;
    std::int64_t rows = 200'000;
    /// Calling code for national phone numbers where the import names no country.
    std::string callingCode;

    /// Up to so many rows are dealt with before the answer.
    static constexpr std::int64_t rowsAtOnce = 5'000;
    /// How long an import can be undone, and its error file be read.
    static constexpr std::chrono::hours kept{30 * 24};
};

ImportSettings readImportSettings(const Config& config);

} // namespace portico::crm
