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

/// Connects a `JobHeartbeat` with the host. Thread-safe.
class PORTICO_API JobPulse
{
public:
    /// Calls the function of the job's heartbeat, if it has one. For the host. @return text of its exception; empty: none
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
    /// Requests that the job ends soon, because the plugin is being replaced. It will be run again.
    std::stop_token stop;
    /// For `JobHeartbeat`; null without one.
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

/// Time of a job and its number of attempts.
struct JobOptions
{
    std::chrono::milliseconds delay{0};
    /// 0: as many as the type's back-off has, else 8.
    int maxAttempts = 0;
    /// At most one unfinished job with that key exists; a second is not enqueued.
    std::string dedupeKey = {};
    /// Earliest time of the first run; `delay` is added to it. Empty: now.
    std::optional<Instant> dueAt = {};
};

/// Thrown by a job to run again at a known time, for example after the Retry-After of another server, or when a lock expires.
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

/// Thrown by a job for which further attempts are useless. The job becomes a dead letter immediately.
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
/// @throws JobFailed that names the member that does not fit.
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

/// Durable background work, one row per job in the service's database. Jobs run at least once, so handlers must be idempotent. A job that
/// throws is retried with increasing delays. After its last attempt it is a dead letter, which the operator can retry (`porticoctl jobs`).
/// A job belongs to the trace of the request that enqueued it.
///
/// The payload is a described record that is stored as JSON, so later versions of the plugin may add members. If a payload no longer
/// fits, the job is a dead letter whose error names the member.
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

    /// Registers the handler of a job type; call it in `start`. The function is dropped when the plugin stops.
    virtual void handle(std::string_view type, std::function<void(const Job&)> run) = 0;
    template <detail::DescribedRecord T>
    void handle(std::string_view type, std::function<void(const T&, const Job&)> run)
    {
        handle(type, [run = std::move(run)](const Job& job) { run(detail::payloadOf<T>(job), job); });
    }
    /// Registers a member function that takes the payload, the Job, or the payload and the Job.
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

    /// Sets the delays after the first, second, … failed attempt of a type, each varied by up to a fifth. The default is 10 s, doubled up
    /// to an hour. There is one attempt more than delays. Call it in `start`, after `handle`; applies to jobs that are enqueued later.
    virtual void backOff(std::string_view type, std::vector<std::chrono::milliseconds> waits) = 0;
    /// Called when a job of a type has failed permanently, before it becomes a dead letter. Record the failure in your own tables here.
    /// Called at least once; if it throws, the error is logged and the call repeats every five minutes for an hour. Call it in `start`,
    /// after `handle`. Periodic jobs never fail permanently.
    virtual void onFailure(std::string_view type, std::function<void(const Job&, std::string_view error)> tell) = 0;
    /// Like the other overload, with the payload. Not called for a payload that does not fit.
    template <class T, class C>
    void onFailure(std::string_view type, void (C::*tell)(const T&, const Job&, std::string_view), C* self)
    {
        onFailure(type, [tell, self](const Job& job, std::string_view error) { tellWithPayload(tell, self, job, error); });
    }

    /// Enqueues in the caller's transaction: the job exists exactly if the change does. Returns its id, or empty if an unfinished job has
    /// the dedupe key.
    template <detail::DescribedRecord T>
    std::string enqueue(Session& session, std::string_view type, const T& payload, const JobOptions& options = {})
    {
        return enqueue(session, type, std::string_view(detail::writePayload(detail::typeOf<T>, &payload)), options);
    }
    /// Enqueues a job without a payload.
    std::string enqueue(Session& session, std::string_view type, const JobOptions& options = {})
    {
        return enqueue(session, type, std::string_view("{}"), options);
    }
    /// Enqueues a job with JSON text as payload.
    virtual std::string enqueue(Session& session, std::string_view type, std::string_view payload, const JobOptions& options) = 0;
    std::string enqueue(Session& session, std::string_view type, std::string_view payload)
    {
        return enqueue(session, type, payload, JobOptions{});
    }

    /// Removes a waiting job in the caller's transaction. Returns true if it was waiting for its first or another attempt and will not
    /// run; false if it is running, has ended, is a dead letter or does not exist.
    virtual bool cancel(Session& session, std::string_view id) = 0;
    /// Removes the waiting job with this dedupe key.
    virtual bool cancelByKey(Session& session, std::string_view dedupeKey) = 0;

    /// Runs a job of this type periodically, `interval` after the end of the last run, on one host at a time.
    virtual void every(std::string_view type, std::chrono::seconds interval) = 0;

    /// Declares that jobs of a type wait for other servers. The host runs them on separate threads (`jobs.serverThreads`), so that slow
    /// servers do not hold up other jobs. Call it in `start`, after `handle`. @throws std::logic_error
    virtual void waitsForServers(std::string_view type) = 0;

    /// Declares that a periodic job only works on what this service has written. With other hosts on the same database, its interval
    /// increases up to a minute while nothing is written. Within seconds of the next write of the service it has its interval again.
    /// Call it in `start`, after `every`. @throws std::logic_error
    virtual void followsWrites(std::string_view /*type*/) {}

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
