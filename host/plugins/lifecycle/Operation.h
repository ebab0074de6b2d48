#pragma once

#include "host/plugins/lifecycle/DependencyAway.h"
#include "host/plugins/lifecycle/LifecycleReport.h"

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
    /// `again`: the same has been tried before and may be tried for hours, so that the log is spared what it has.
    Operation(OperationResult begun, Logger& log, bool again = false) : _result(std::move(begun)), _log(log), _again(again) {}

    /// Runs one step and records it; false if it threw, with the text as the step's message.
    template <class F>
    bool step(const std::string& name, const std::string& serviceId, F&& work)
    {
        const auto begun = std::chrono::steady_clock::now();
        std::string error;
        bool succeeded = true;
        _lastAway.clear();
        try
        {
            std::forward<F>(work)();
        }
        catch (const std::exception& thrown)
        {
            succeeded = false;
            error = thrown.what();
            _lastAway = whatIsAway(thrown);
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
    /// Message of the last step.
    const std::string& lastError() const noexcept { return _result.steps.back().message; }

    /// What the last step failed for want of (`whatIsAway`), or empty.
    const std::string& lastAway() const noexcept { return _lastAway; }

    /// The command did not do what it was asked to.
    void fail(const std::string& serviceId, const std::string& text);
    /// As `fail`, for what the log has already.
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
    std::string _lastAway;
    bool _failed = false;
};

} // namespace portico::host::plugins
