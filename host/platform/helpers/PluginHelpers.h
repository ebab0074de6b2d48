#pragma once

#include "host/platform/helpers/HelperRunner.h"

#include "portico/Helper.h"
#include "portico/Logger.h"
#include "portico/Metrics.h"

#include <filesystem>
#include <string>
#include <vector>

namespace portico::host::platform
{

/// The `Helpers` of one generation: runs the programs of the copy of the package that it was loaded from. Thread-safe.
class PluginHelpers final : public Helpers
{
public:
    /// All but the values outlive this.
    /// @param metrics those of the host
    PluginHelpers(std::string serviceId, std::filesystem::path package, std::vector<std::string> programs, HelperRunner& runner,
                  Logger& log, Metrics& metrics);

    using Helpers::run;
    /// A fault is logged and counted, unless it is `Stopped`.
    HelperResult run(const HelperTask& task, const std::stop_token& stop) override;

private:
    const std::string _serviceId;
    const std::filesystem::path _package;
    const std::vector<std::string> _programs;
    HelperRunner& _runner;
    Logger& _log;
    Metrics& _metrics;
};

} // namespace portico::host::platform
