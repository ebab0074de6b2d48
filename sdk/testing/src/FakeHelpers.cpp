#include "portico/testing/FakeHelpers.h"

#include "host/platform/helpers/HelperRunner.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace portico::testing
{

/// The host's runner, with its files in the system's folder for temporary files.
class FakeHelpers::Real
{
public:
    explicit Real(std::filesystem::path programs) : _programs(std::move(programs)), _runner(std::filesystem::temp_directory_path(), 2) {}
    HelperResult run(const HelperTask& task, const std::stop_token& stop) { return _runner.run(_programs, task, stop); }

private:
    const std::filesystem::path _programs;
    host::platform::HelperRunner _runner;
};

FakeHelpers::FakeHelpers(std::vector<std::string> programs) : _programs(std::move(programs)) {}
FakeHelpers::~FakeHelpers() = default;

HelperResult FakeHelpers::run(const HelperTask& task, const std::stop_token& stop)
{
    if (std::ranges::find(_programs, task.program) == _programs.end())
        throw std::logic_error("plugin.helpers of the manifest does not name " + task.program);
    Answer answer;
    {
        const std::lock_guard lock(_mutex);
        auto& words = _tasks.emplace_back(1, task.program);
        words.insert(words.end(), task.arguments.begin(), task.arguments.end());
        answer = _answer;
    }
    if (!answer) throw HelperFault(HelperFault::Cause::NotStarted, "The test has not said what this helper does.");
    if (stop.stop_requested()) throw HelperFault(HelperFault::Cause::Stopped, "The caller asked to stop.");
    return answer(task);
}

void FakeHelpers::answer(Answer answer)
{
    const std::lock_guard lock(_mutex);
    _answer = std::move(answer);
}

void FakeHelpers::runFrom(const std::filesystem::path& directory)
{
    const std::lock_guard lock(_mutex);
    _real = std::make_unique<Real>(directory);
    _answer = [real = _real.get()](const HelperTask& task) { return real->run(task, std::stop_token()); };
}

HelperResult FakeHelpers::making(const std::vector<std::string>& outputs, std::string_view report)
{
    HelperResult result;
    for (const auto& output : outputs) result.outputs.push_back(host::platform::outputWith(std::filesystem::temp_directory_path(), output));
    result.report = report;
    return result;
}

std::vector<std::vector<std::string>> FakeHelpers::tasks() const
{
    const std::lock_guard lock(_mutex);
    return _tasks;
}

} // namespace portico::testing
