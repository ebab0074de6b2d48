#pragma once

#include "host/plugins/lifecycle/DependencyUnavailable.h"
#include "host/plugins/lifecycle/LifecycleReport.h"

#include "portico/Logger.h"

#include <chrono>
#include <exception>
#include <string>
#include <utility>

namespace portico::host::plugins
{

/// The last step of the operation has failed; it knows why.
struct StepFailed
{
};

/// Records one command while it runs: its steps with their times, and what people should know. Used by the lifecycle thread.
class Operation
{
public:
    /// `again`: the same has been tried before and may be tried for hours, so that the log is spared what it has.
    Operation(OperationResult begun, Logger& log, bool again = false) : _result(std::move(begun)), _log(log), _again(again) {}

    /// Service of the command; empty for commands about all services.
    const std::string& serviceId() const noexcept { return _result.serviceId; }

    /// Runs one step and records it; false if it threw, with the text as the step's message.
    template <class F>
    bool step(const std::string& name, const std::string& serviceId, F&& work)
    {
        const auto begun = std::chrono::steady_clock::now();
        std::string error;
        bool succeeded = true;
        _lastUnavailable.clear();
        try
        {
            std::forward<F>(work)();
        }
        catch (const std::exception& thrown)
        {
            succeeded = false;
            error = thrown.what();
            _lastUnavailable = unavailableDependency(thrown);
        }
        catch (...)
        {
            succeeded = false;
            error = "something that is not a std::exception was thrown";
        }
        const auto took = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begun);
        _result.steps.push_back({name, serviceId, succeeded, took, std::move(error)});
        return succeeded;
    }
    /// Runs one step without which the rest makes no sense. @throws StepFailed
    template <class F>
    void require(const std::string& name, const std::string& serviceId, F&& work)
    {
        if (!step(name, serviceId, std::forward<F>(work))) throw StepFailed();
    }
    /// Message of the last step.
    const std::string& lastError() const noexcept { return _result.steps.back().message; }

    /// Unavailable dependency of the last failed step (`unavailableDependency`), or empty.
    const std::string& lastUnavailable() const noexcept { return _lastUnavailable; }

    /// The command did not do what it was asked to.
    void fail(const std::string& serviceId, const std::string& text);
    /// Like `fail`, for failures that are already logged.
    void failAgain(const std::string& serviceId, const std::string& text);
    /// Worth knowing, but no failure.
    void note(const std::string& serviceId, const std::string& text);
    /// A change that took place, for the log alone: from which file to which, and why that one is trusted.
    void changed(const std::string& serviceId, std::string_view what, std::string_view fromHash, std::string_view toHash,
                 std::string_view provenance);

    OperationResult finish();

private:
    OperationResult _result;
    Logger& _log;
    const bool _again;
    std::string _lastUnavailable;
    bool _failed = false;
};

} // namespace portico::host::plugins
