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

/// Jobs that run when the test says so, in its thread. They are stored and ended as the host does it, so what is rolled back is not
/// enqueued, and dedupe keys, due times, waits and attempts count. The database is a TestDatabase's.
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

    using Jobs::handle;
    void handle(std::string_view type, std::function<void(const Job&)> run) override;
    void backOff(std::string_view type, std::vector<std::chrono::milliseconds> waits) override;
    using Jobs::onFailure;
    void onFailure(std::string_view type, std::function<void(const Job&, std::string_view error)> tell) override;
    using Jobs::enqueue;
    std::string enqueue(Session& session, std::string_view type, std::string_view payload, const JobOptions& options) override;
    bool cancel(Session& session, std::string_view id) override;
    bool cancelByKey(Session& session, std::string_view dedupeKey) override;
    void every(std::string_view type, std::chrono::seconds interval) override;
    void waitsForServers(std::string_view type) override;

    /// Jobs that are not done, dead letters excepted, the oldest first.
    std::vector<Waiting> waiting() const;
    /// Those of one type.
    std::vector<Waiting> waiting(std::string_view type) const;
    /// The payloads of those.
    template <detail::DescribedRecord T>
    std::vector<T> payloads(std::string_view type) const
    {
        std::vector<T> found;
        for (const auto& job : waiting(type)) found.push_back(detail::payloadOf<T>({job.id, job.type, job.payload, 1, 1, {}, {}}));
        return found;
    }
    /// Runs what the clock says is due, and what that makes due, until nothing is; how many ran.
    std::size_t runDue();
    /// Beats as the host does: the `JobHeartbeat` of the job that runs. @return what it threw, in words; empty: nothing
    std::string beat();
    /// Messages that failed attempts threw, in order.
    std::vector<std::string> failures() const;
    std::size_t deadLetters() const;

private:
    friend class TestContext;
    void forget();

    struct State;
    const std::unique_ptr<State> _state;
};

} // namespace portico::testing
