#pragma once

#include "portico/Export.h"
#include "portico/Instant.h"
#include "portico/Json.h"

#include <chrono>
#include <concepts>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace portico
{

class Session;

/// Where a `JobHeartbeat` and the host meet. Thread-safe.
class PORTICO_API JobPulse
{
public:
    /// Calls the function of the job's heartbeat, if it has one. For the host. @return what it threw, in words; empty: nothing
    std::string beat();

private:
    friend class JobHeartbeat;
    std::mutex _mutex;
    std::function<void()> _function;
};

/// One run of a job.
struct Job
{
    std::string id;
    std::string type;
    /// JSON text, as enqueued.
    std::string payload;
    /// From 1.
    int attempt = 1;
    /// The attempt with this number is the last.
    int maxAttempts = 1;
    Instant enqueuedAt{};
    /// Asks the job to end soon and be run again later: the plugin is being replaced.
    std::stop_token stop;
    /// For `JobHeartbeat`; null where nothing beats.
    std::shared_ptr<JobPulse> pulse = nullptr;
};

/// Calls a function at least every 20 seconds on a thread of the host, as long as this object lives: for leases of the plugin's own that
/// must not expire while a job still works, for example during a long upload. Make it in the job; a job has at most one. The function must
/// return quickly. What it throws is logged.
/// \code
/// const JobHeartbeat heartbeat(job, [&] { renewLease(item); });
/// \endcode
class PORTICO_API JobHeartbeat
{
public:
    JobHeartbeat(const Job& job, std::function<void()> function);
    /// Waits for a call that runs.
    ~JobHeartbeat();
    JobHeartbeat(const JobHeartbeat&) = delete;
    JobHeartbeat& operator=(const JobHeartbeat&) = delete;

private:
    const std::shared_ptr<JobPulse> _pulse;
};

/// When a job runs, and how often.
struct JobOptions
{
    std::chrono::milliseconds delay{0};
    /// 0: as many as the type's back-off has, else 8.
    int maxAttempts = 0;
    /// At most one unfinished job with that key exists; a second is not enqueued.
    std::string dedupeKey = {};
    /// Not before then; `delay` counts from it. Empty: from now.
    std::optional<Instant> dueAt = {};
};

/// Thrown by a job that wants to be run again at a time that it knows: what the other side's Retry-After says, or when a lock ends.
class PORTICO_API JobRetry final : public std::exception
{
public:
    /// @param why for the operator's list of jobs and the log; never a secret.
    static JobRetry after(std::chrono::milliseconds wait, std::string_view why = {});
    static JobRetry at(Instant time, std::string_view why = {});
    /// Does not count as an attempt. A job may postpone itself any number of times.
    JobRetry uncounted() const;
    JobRetry(const JobRetry&);
    ~JobRetry() override;

    const char* what() const noexcept override { return _why.c_str(); }
    bool counts() const noexcept { return _counts; }
    /// How long from now; not negative.
    std::chrono::milliseconds wait(Instant now) const noexcept;

private:
    JobRetry(std::chrono::milliseconds wait, std::optional<Instant> time, std::string_view why);
    std::string _why;
    std::chrono::milliseconds _wait;
    std::optional<Instant> _time;
    bool _counts = true;
};

/// Thrown by a job that no further attempt can help: it is a dead letter at once.
class PORTICO_API JobFailed final : public std::exception
{
public:
    explicit JobFailed(std::string_view why);
    JobFailed(const JobFailed&);
    ~JobFailed() override;
    const char* what() const noexcept override { return _why.c_str(); }

private:
    std::string _why;
};

namespace detail
{
/// @throws JobFailed that says which member does not fit.
PORTICO_API void readPayload(const Job& job, const Type& type, void* record);
PORTICO_API std::string writePayload(const Type& type, const void* record);

template <DescribedRecord T>
T payloadOf(const Job& job)
{
    T record{};
    readPayload(job, typeOf<T>, &record);
    return record;
}

/// Type of the first argument of a member function.
template <class F>
struct FirstArgument;
template <class R, class C, class A, class... More>
struct FirstArgument<R (C::*)(A, More...)>
{
    using type = std::remove_cvref_t<A>;
};
template <class R, class C, class A, class... More>
struct FirstArgument<R (C::*)(A, More...) const>
{
    using type = std::remove_cvref_t<A>;
};
} // namespace detail

/// Durable background work, a row each in the service's database: runs at least once, so a job must bear to be run twice. A job that throws
/// is run again with growing waits; after its last attempt it is a dead letter that the operator sees and can retry (`porticoctl jobs`). A
/// job belongs to the trace of the request that enqueued it.
///
/// The payload is a described record, stored as a row's JSON is: a version of the plugin may add members. One that no longer fits is a dead
/// letter that says which member does not.
/// \code
/// void start() override
/// {
///     auto& jobs = _context.jobs();
///     jobs.handle("bridge", &Bridge::run, this);          // void run(const Meeting& meeting, const Job& job)
///     jobs.backOff("bridge", {5s, 30s, 2min, 10min, 1h});
///     jobs.onFailure("bridge", &Bridge::gaveUp, this);    // void gaveUp(const Meeting& meeting, const Job& job, std::string_view error)
/// }
/// …
/// jobs.enqueue(transaction, "bridge", Meeting{booking.id}, {.dedupeKey = "bridge:" + booking.id.text()});
/// \endcode
/// Thread-safe.
class PORTICO_API Jobs
{
public:
    using Options = JobOptions;
    virtual ~Jobs();

    /// Says what runs jobs of a type; call it in `start`. The function is dropped when the plugin stops.
    virtual void handle(std::string_view type, std::function<void(const Job&)> run) = 0;
    template <detail::DescribedRecord T>
    void handle(std::string_view type, std::function<void(const T&, const Job&)> run)
    {
        handle(type, [run = std::move(run)](const Job& job) { run(detail::payloadOf<T>(job), job); });
    }
    /// The same for a member function that takes the payload, the Job, or first the one and then the other.
    template <class F, class C>
    requires std::is_member_function_pointer_v<F>
    void handle(std::string_view type, F run, C* self)
    {
        using First = typename detail::FirstArgument<F>::type;
        if constexpr (std::same_as<First, Job>)
            handle(type, [run, self](const Job& job) { (self->*run)(job); });
        else if constexpr (std::invocable<F, C*, const First&>)
            handle<First>(type, [run, self](const First& payload, const Job&) { (self->*run)(payload); });
        else
            handle<First>(type, [run, self](const First& payload, const Job& job) { (self->*run)(payload, job); });
    }

    /// The waits after the first, second, … failed attempt of a type, each give or take a fifth, in place of 10 s that double up to an
    /// hour; there is one attempt more than waits. Call it in `start`, after `handle`; it counts for what is enqueued later.
    virtual void backOff(std::string_view type, std::vector<std::chrono::milliseconds> waits) = 0;
    /// Called when a job of a type has failed permanently, before it becomes a dead letter. Record the failure in your own tables here.
    /// Called at least once; if it throws, the error is logged and the call repeats every five minutes for an hour. Call it in `start`,
    /// after `handle`. Periodic jobs never fail permanently.
    virtual void onFailure(std::string_view type, std::function<void(const Job&, std::string_view error)> tell) = 0;
    /// The same with the payload; not called for one that does not fit.
    template <class T, class C>
    void onFailure(std::string_view type, void (C::*tell)(const T&, const Job&, std::string_view), C* self)
    {
        onFailure(type, [tell, self](const Job& job, std::string_view error) { tellWithPayload(tell, self, job, error); });
    }

    /// Enqueues in the caller's transaction: the job exists exactly if the change does. Returns its id, or empty if the dedupe key is
    /// taken.
    template <detail::DescribedRecord T>
    std::string enqueue(Session& session, std::string_view type, const T& payload, const JobOptions& options = {})
    {
        return enqueue(session, type, std::string_view(detail::writePayload(detail::typeOf<T>, &payload)), options);
    }
    /// The same without a payload.
    std::string enqueue(Session& session, std::string_view type, const JobOptions& options = {})
    {
        return enqueue(session, type, std::string_view("{}"), options);
    }
    /// The same with JSON text.
    virtual std::string enqueue(Session& session, std::string_view type, std::string_view payload, const JobOptions& options) = 0;
    std::string enqueue(Session& session, std::string_view type, std::string_view payload)
    {
        return enqueue(session, type, payload, JobOptions{});
    }

    /// Removes a job in the caller's transaction. True if it was still waiting, be it for its first attempt or for another, and will not
    /// run; false if it runs just now, has ended, is a dead letter or never was.
    virtual bool cancel(Session& session, std::string_view id) = 0;
    /// The same for the job that has a dedupe key.
    virtual bool cancelByKey(Session& session, std::string_view dedupeKey) = 0;

    /// Runs a job of that type again and again, `interval` after the end of the last run; one host at a time.
    virtual void every(std::string_view type, std::chrono::seconds interval) = 0;

    /// Declares that jobs of a type wait for other servers. The host runs them on separate threads (`jobs.serverThreads`), so that slow
    /// servers do not hold up other jobs. Call it in `start`, after `handle`. @throws std::logic_error
    virtual void waitsForServers(std::string_view type) = 0;

private:
    template <class T, class C>
    static void tellWithPayload(void (C::*tell)(const T&, const Job&, std::string_view), C* self, const Job& job, std::string_view error)
    {
        std::optional<T> payload;
        try
        {
            payload = detail::payloadOf<T>(job);
        }
        catch (const JobFailed&)
        {
            return; // the payload cannot be read, so no record can be found for it
        }
        (self->*tell)(*payload, job, error);
    }
};

} // namespace portico
