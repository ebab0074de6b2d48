#include "portico/Calls.h"

#include <utility>

namespace portico
{

Calls::~Calls() = default;

CallResult Calls::send(Call call)
{
    const auto timeout = call.request.timeout;
    std::vector<Call> calls;
    calls.push_back(std::move(call));
    auto results = send(std::move(calls), timeout, {});
    if (results.front()) return std::move(*results.front());
    CallResult result;
    result.outcome = CallResult::Outcome::TimedOut;
    result.took = timeout;
    return result;
}

} // namespace portico
