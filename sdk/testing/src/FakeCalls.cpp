#include "portico/testing/FakeCalls.h"

namespace portico::testing
{

FakeCalls::~FakeCalls() = default;

std::vector<std::optional<CallResult>> FakeCalls::send(std::vector<Call> calls, std::chrono::milliseconds deadline, Late late,
                                                       std::size_t parallel)
{
    Answer answer;
    {
        const std::lock_guard lock(_mutex);
        answer = _answer;
        _calls.insert(_calls.end(), calls.begin(), calls.end());
        _parallels.push_back(parallel);
    }
    std::vector<std::optional<CallResult>> results(calls.size());
    for (std::size_t i = 0; i < calls.size(); ++i)
    {
        auto result = answer ? answer(calls[i]) : failing(CallResult::Outcome::NotReached);
        const auto timeout = calls[i].request.timeout;
        if (result.took > timeout) result = failing(CallResult::Outcome::TimedOut, timeout);
        if (result.responded() && result.response.body.size() > calls[i].request.maxResponseBytes)
            result = failing(CallResult::Outcome::TooLarge, result.took);
        if (result.took <= deadline)
        {
            results[i] = std::move(result);
            continue;
        }
        const std::lock_guard lock(_mutex);
        if (late) _waiting.push_back({late, i, std::move(result)});
    }
    return results;
}

void FakeCalls::answer(Answer answer)
{
    const std::lock_guard lock(_mutex);
    _answer = std::move(answer);
}

CallResult FakeCalls::responding(int status, std::string_view body, std::chrono::milliseconds took)
{
    CallResult result;
    result.outcome = CallResult::Outcome::Responded;
    result.response.status = status;
    result.response.headers = {{"Content-Type", "application/json"}};
    result.response.body = body;
    result.response.bodyBytes = body.size();
    result.took = took;
    return result;
}

CallResult FakeCalls::failing(CallResult::Outcome outcome, std::chrono::milliseconds took)
{
    CallResult result;
    result.outcome = outcome;
    result.took = took;
    return result;
}

std::size_t FakeCalls::deliverLate()
{
    std::vector<Waiting> waiting;
    {
        const std::lock_guard lock(_mutex);
        waiting.swap(_waiting);
    }
    for (auto& each : waiting) each.late(each.index, std::move(each.result));
    return waiting.size();
}

std::vector<Call> FakeCalls::calls() const
{
    const std::lock_guard lock(_mutex);
    return _calls;
}

std::vector<std::size_t> FakeCalls::parallels() const
{
    const std::lock_guard lock(_mutex);
    return _parallels;
}

void FakeCalls::clear()
{
    const std::lock_guard lock(_mutex);
    _calls.clear();
    _parallels.clear();
}

} // namespace portico::testing
