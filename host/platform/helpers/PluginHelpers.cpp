#include "host/platform/helpers/PluginHelpers.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace portico::host::platform
{

PluginHelpers::PluginHelpers(std::string serviceId, std::filesystem::path package, std::vector<std::string> programs, HelperRunner& runner,
                             Logger& log, Metrics& metrics)
    : _serviceId(std::move(serviceId)),
      _package(std::move(package)),
      _programs(std::move(programs)),
      _runner(runner),
      _log(log),
      _metrics(metrics)
{
}

HelperResult PluginHelpers::run(const HelperTask& task, const std::stop_token& stop)
{
    if (std::ranges::find(_programs, task.program) == _programs.end())
        throw std::logic_error("plugin.helpers of the manifest does not name " + task.program);
    try
    {
        auto result = _runner.run(_package, task, stop);
        _metrics.count("helper_runs", 1, {{"service", _serviceId}, {"outcome", "done"}});
        return result;
    }
    catch (const HelperFault& fault)
    {
        const auto cause = name(fault.cause());
        _metrics.count("helper_runs", 1, {{"service", _serviceId}, {"outcome", cause}});
        if (fault.cause() != HelperFault::Cause::Stopped)
            _log.warning("a helper has not done its work", {{"program", task.program}, {"cause", cause}, {"error", fault.what()}});
        throw;
    }
}

} // namespace portico::host::platform
