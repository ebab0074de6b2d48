#pragma once

#include "portico/Helper.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace portico::testing
{

/// Answers pieces of work as the test says, or runs the programs of the package as a host does, and records what was asked for. Until the
/// test says otherwise every call throws HelperFault `NotStarted`. Thread-safe.
class PORTICO_API FakeHelpers final : public Helpers
{
public:
    using Answer = std::function<HelperResult(const HelperTask& task)>;

    /// @param programs those that the manifest names
    explicit FakeHelpers(std::vector<std::string> programs);
    ~FakeHelpers() override;
    using Helpers::run;
    HelperResult run(const HelperTask& task, const std::stop_token& stop) override;

    /// Answers every piece of work from now on. Runs on the calling thread, outside of locks.
    void answer(Answer answer);
    /// Runs the programs of a folder from now on, under the rules and limits of a host: the build's folder of the plugin.
    void runFrom(const std::filesystem::path& directory);
    /// A result with these outputs.
    static HelperResult making(const std::vector<std::string>& outputs, std::string_view report = {});
    /// Arguments of each piece of work, the program first.
    std::vector<std::vector<std::string>> tasks() const;

private:
    class Real;

    const std::vector<std::string> _programs;
    mutable std::mutex _mutex;
    Answer _answer;
    std::vector<std::vector<std::string>> _tasks;
    std::unique_ptr<Real> _real;
};

} // namespace portico::testing
