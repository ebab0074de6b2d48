#include "host/plugins/lifecycle/HealthMonitor.h"

#include "host/plugins/runtime/PluginScope.h"

#include <algorithm>
#include <utility>

namespace portico::host::plugins
{

namespace
{

/// Name of the check for the plugin itself, in addition to those that it names.
constexpr const char* pluginCheck = "plugin";

std::string failingNames(const std::vector<HealthCheck>& checks)
{
    std::string names;
    for (const auto& check : checks)
        if (!check.healthy) names += (names.empty() ? "" : ", ") + check.name;
    return names;
}

} // namespace

struct HealthMonitor::Answer
{
    bool asked = false;
    std::vector<HealthCheck> checks;
    /// Exception text of the plugin.
    std::string error;
};

HealthMonitor::HealthMonitor(HealthTimes times, Serving serving, Logger& log) : _times(times), _serving(std::move(serving)), _log(log) {}

void HealthMonitor::start()
{
    if (!_thread.joinable()) _thread = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void HealthMonitor::stop()
{
    if (!_thread.joinable()) return;
    _thread.request_stop();
    _thread.join();
}

void HealthMonitor::run(const std::stop_token& stop)
{
    std::unique_lock lock(_mutex);
    // A plugin's report at its start replaces the first round.
    while (!_wake.wait_for(lock, stop, _times.interval, [&] { return stop.stop_requested(); })) askAll();
}

HealthMonitor::Question HealthMonitor::ask(std::shared_ptr<Generation> generation)
{
    Question question{std::move(generation), std::make_shared<Answer>(), nullptr};
    // Owns everything that it uses, since it may return after the monitor was destroyed.
    question.thread = std::make_unique<PluginThread>(
        [generation = question.generation, answer = question.answer]
        {
            const auto lease = Lease::take(generation);
            if (!lease) return;
            answer->asked = true;
            const PluginScope scope(generation->tag());
            try
            {
                answer->checks = generation->askHealth();
            }
            catch (const std::exception& error)
            {
                answer->error = *error.what() ? error.what() : "an exception without a text";
            }
            catch (...)
            {
                answer->error = "something that is not a std::exception";
            }
        });
    return question;
}

bool HealthMonitor::isOut(const Generation& generation) const
{
    return std::ranges::any_of(_out, [&](const Question& question) { return question.generation.get() == &generation; });
}

void HealthMonitor::askAll()
{
    for (auto late = _out.begin(); late != _out.end();)
    {
        const bool back = late->thread->waitFor(std::chrono::milliseconds(0));
        if (back) take(*late);
        late = back ? _out.erase(late) : std::next(late);
    }
    std::list<Question> asked;
    for (auto& generation : _serving())
        if (generation && !isOut(*generation)) asked.push_back(ask(std::move(generation)));
    const auto end = std::chrono::steady_clock::now() + _times.patience;
    while (!asked.empty())
    {
        auto& question = asked.front();
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        if (question.thread->waitFor(std::max(left, std::chrono::milliseconds(0))))
        {
            take(question);
            asked.pop_front();
            continue;
        }
        note(*question.generation, {{pluginCheck, false, "has not answered", _times.patience}});
        _out.splice(_out.end(), asked, asked.begin());
    }
}

void HealthMonitor::take(const Question& question)
{
    auto& answer = *question.answer;
    if (!answer.asked) return;
    if (answer.error.empty()) return note(*question.generation, std::move(answer.checks));
    // The text may hold what is not for everyone.
    _log.warning("a plugin's health check threw", {{"service", question.generation->serviceId()}, {"error", answer.error}});
    note(*question.generation, {{pluginCheck, false, "cannot tell", {}}});
}

void HealthMonitor::note(Generation& generation, std::vector<HealthCheck> checks)
{
    const auto before = failingNames(generation.health());
    const auto now = failingNames(checks);
    generation.noteHealth(std::move(checks));
    if (before == now) return;
    if (now.empty())
        _log.information("a service is healthy again", {{"service", generation.serviceId()}});
    else
        _log.warning("a service is not healthy", {{"service", generation.serviceId()}, {"failing", now}});
}

} // namespace portico::host::plugins
