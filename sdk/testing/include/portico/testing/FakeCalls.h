#pragma once

#include "portico/Calls.h"

#include <functional>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::testing
{

/// Answers calls as the test says and records them. Time is what the answers say: `CallResult::took` decides whether a call exceeds its
/// timeout or the deadline; nothing waits. Until the test says otherwise every call is NotReached. Thread-safe.
class PORTICO_API FakeCalls final : public Calls
{
public:
    using Answer = std::function<CallResult(const Call& call)>;

    ~FakeCalls() override;
    using Calls::send;
    std::vector<std::optional<CallResult>> send(std::vector<Call> calls, std::chrono::milliseconds deadline, Late late,
                                                std::size_t parallel = 0) override;

    /// Answers every call from now on. Runs on the sending thread, outside of locks.
    void answer(Answer answer);
    /// A complete response.
    static CallResult responding(int status, std::string_view body = {}, std::chrono::milliseconds took = {});
    static CallResult failing(CallResult::Outcome outcome, std::chrono::milliseconds took = {});
    /// Passes on the results that arrived after their deadline. Returns their number.
    std::size_t deliverLate();
    std::vector<Call> calls() const;
    /// `parallel` of each `send`.
    std::vector<std::size_t> parallels() const;
    /// Forgets what was recorded.
    void clear();

private:
    struct Waiting
    {
        Late late;
        std::size_t index = 0;
        CallResult result;
    };
    mutable std::mutex _mutex;
    Answer _answer;
    std::vector<Call> _calls;
    std::vector<std::size_t> _parallels;
    std::vector<Waiting> _waiting;
};

} // namespace portico::testing
