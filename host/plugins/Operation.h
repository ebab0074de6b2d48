#pragma once

#include "host/plugins/LifecycleReport.h"

#include "portico/Logger.h"

#include <chrono>
#include <exception>
#include <string>
#include <utility>

namespace portico::host::plugins
{

/// Records one command while it runs: its steps with their times, and what people should know. Used by the lifecycle thread.
class Operation
{
public:
    Operation(OperationResult begun, Logger& log) : _result(std::move(begun)), _log(log) {}

    /// Runs one step and records it; false if it threw, with the text as the step's message.
    template <class F>
    bool step(const std::string& name, const std::string& serviceId, F&& work)
    {
        const auto begun = std::chrono::steady_clock::now();
        std::string error;
        bool succeeded = true;
        try
        {
            std::forward<F>(work)();
        }
        catch (const std::exception& thrown)
        {
            succeeded = false;
            error = thrown.what();
        }
        catch (...)
        {
            succeeded = false;
            error = "something that is no std::exception was thrown";
        }
        const auto took = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begun);
        _result.steps.push_back({name, serviceId, succeeded, took, std::move(error)});
        return succeeded;
    }
    /// Message of the last step.
    const std::string& lastError() const noexcept { return _result.steps.back().message; }

    /// The command did not do what it was asked to.
    void fail(const std::string& serviceId, const std::string& text);
    /// Worth knowing, but no failure.
    void note(const std::string& serviceId, const std::string& text);
    /// A change that took place, for the log alone: from which file to which, and why that one is trusted.
    void changed(const std::string& serviceId, std::string_view what, std::string_view fromHash, std::string_view toHash,
                 std::string_view provenance);

    OperationResult finish();

private:
    OperationResult _result;
    Logger& _log;
    bool _failed = false;
};

} // namespace portico::host::plugins
