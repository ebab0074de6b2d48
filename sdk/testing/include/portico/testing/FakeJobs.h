#pragma once

#include "portico/Clock.h"
#include "portico/Database.h"
#include "portico/Jobs.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace portico::testing
{

/// Jobs that run when the test says so, in its thread. They are stored as the host stores them, so what is rolled back is not enqueued, and
/// dedupe keys, delays and attempts count. The database is a TestDatabase's.
class PORTICO_API FakeJobs final : public Jobs
{
public:
    struct Waiting
    {
        std::string id;
        std::string type;
        std::string payload;
        Instant dueAt{};
        /// Attempts that have failed so far.
        int attempts = 0;
    };

    FakeJobs(Database& database, const Clock& clock);
    ~FakeJobs() override;

    void handle(std::string_view type, std::function<void(const Job&)> run) override;
    using Jobs::enqueue;
    std::string enqueue(Session& session, std::string_view type, std::string_view payload, const Options& options) override;
    void every(std::string_view type, std::chrono::seconds interval) override;

    /// Jobs that are not done, dead letters excepted, the oldest first.
    std::vector<Waiting> waiting() const;
    /// Those of one type.
    std::vector<Waiting> waiting(std::string_view type) const;
    /// Runs what the clock says is due, and what that makes due, until nothing is; how many ran.
    std::size_t runDue();
    /// What failed attempts threw, in order.
    std::vector<std::string> failures() const;
    std::size_t deadLetters() const;

private:
    struct State;
    const std::unique_ptr<State> _state;
};

} // namespace portico::testing
