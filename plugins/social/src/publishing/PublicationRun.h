#pragma once

#include "content/Publications.h"
#include "integrations/Accounts.h"
#include "media/MediaCopies.h"
#include "media/MediaLinks.h"
#include "networks/Networks.h"
#include "publishing/Progress.h"
#include "publishing/RateBudgets.h"

#include <exception>
#include <optional>
#include <stop_token>
#include <string>

namespace portico::social
{

/// Collaborators of the worker's runs. All must outlive them and are thread-safe.
struct PublishingParts
{
    PluginContext& context;
    const Networks& networks;
    const Accounts& accounts;
    const Publications& publications;
    const RateBudgets& budgets;
    const MediaLinks& links;
    const MediaCopies& copies;
};

/// How long an item belongs to a worker without a sign of life. The job of the slot renews it every 20 seconds (`JobHeartbeat`), so a step
/// may take longer.
inline constexpr std::chrono::seconds publishingLease{60};

/// Runs one attempt of a leased item: performs its steps, writes each outcome before the next step begins, and ends the attempt.
/// Used once, by one thread.
class PublicationRun
{
public:
    /// @param worker the holder of the lease
    PublicationRun(const PublishingParts& parts, const Tenant& tenant, Lease lease, std::string worker);
    /// @param stop requests the end: the item is released after the current step, and another worker may lease it immediately. A repeatable
    /// call is aborted.
    void run(const std::stop_token& stop);
    /// Says that the worker is alive. May be called on another thread while `run` works.
    void renewLease() const;
    /// Ends the lease after `run` has thrown.
    void giveBack() const;

private:
    using Kind = StepOutcome::Kind;

    bool readProgress();
    bool mustVerify() const;
    /// Opens the item's account, and drops steps that are of another account of the network. @return false if the attempt has ended
    bool openAccount();
    bool prepare();
    /// Replaces files that are too large for the network by copies that fit. @return false where that has to be tried again
    bool fitFiles(Publication& publication);
    bool markSending();
    StepOutcome perform();
    StepOutcome performOnce();
    bool wasCut(const StepOutcome& outcome) const;
    /// @return whether the next step follows
    bool handle(const StepOutcome& outcome);
    void complete(StepResult result);
    void loseTrack(const AttemptEnd& end);
    void verify();
    void stayUnsure(std::optional<Instant> notBefore);
    void finish();
    void release();
    void fail(FailureCode code, std::string_view message, bool retryable);
    void retryOrFail(const StepOutcome& outcome);
    void setBack(const StepOutcome& outcome, std::optional<Instant> next, bool usesAttempt, bool retryable);
    StepCall call(std::optional<Instant> firstAttemptAt) const;
    LookUp look() const;
    void logFault(const std::exception& error) const;
    std::string progressText() const;
    template <class F>
    bool write(const F& work) const;

    const PublishingParts& _parts;
    Lease _lease;
    const Held _held;
    Network* _network = nullptr;
    std::stop_token _stop;
    OpenedAccount _opened;
    Progress _progress;
    /// True if an earlier attempt of the step that is being sent has an unknown outcome.
    bool _wasUnknown = false;
};

} // namespace portico::social
