#pragma once

#include "common/Core.h"
#include "common/Requests.h"
#include "mails/Mails.h"
#include "privacy/DataExports.h"

#include "portico/Jobs.h"
#include "portico/Table.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::identity
{

/// Payload of a deletion job.
struct DeletionOrder
{
    UserId userId;
};

constexpr auto schemaOf(const DeletionOrder*) { return describe(field<&DeletionOrder::userId>()); }

/// Mail about a scheduled or completed deletion.
struct DeletionMail
{
    std::string link;
    std::string date;
};

constexpr auto schemaOf(const DeletionMail*) { return describe(members<&DeletionMail::link, &DeletionMail::date>()); }

/// A deletion that has begun and is not done, for the operators: a row of `erasures`.
struct WaitingDeletion
{
    UserId userId;
    std::vector<std::string> waitingFor;
    Instant startedAt{};

    /// The verified address of the account.
    std::string email;
    std::string locale;
    std::optional<Instant> finishedAt;
};

constexpr auto schemaOf(const WaitingDeletion*)
{
    return describe(members<&WaitingDeletion::userId, &WaitingDeletion::waitingFor, &WaitingDeletion::startedAt>(),
                    field<&WaitingDeletion::email>().columnOnly(), field<&WaitingDeletion::locale>().columnOnly(),
                    field<&WaitingDeletion::finishedAt>().columnOnly());
}

inline constexpr GlobalTable waitingDeletionTable{"erasures", {.where = "finished_at IS NULL"}, &WaitingDeletion::userId};

namespace deletions
{
/// Returns deletions that have begun and still wait for a service, oldest first.
std::vector<WaitingDeletion> waiting(Session& session);
} // namespace deletions

/// Deletes accounts. First the account is deactivated, and signing in restores it. After the grace period, identity and then every service
/// with personal data erase it. Each step is recorded and idempotent, so that the process survives crashes and waits for unavailable
/// services. Thread-safe.
class Deletions
{
public:
    Deletions(Core& core, OwnRecords& own, DataExports& exports)
        : _core(core),
          _own(own),
          _exports(exports),
          _planned(core.mails.bind<DeletionMail>("deletion-planned")),
          _done(core.mails.bind<DeletionMail>("account-deleted"))
    {
    }
    void start();

    /// Ends all sign-ins of the caller. @return the time of the deletion @throws Problem 403 `step_up_required`, 409 `last_owner`
    Instant plan(const Caller& caller, const Request& request);
    /// Enqueues jobs for due deletions without one.
    void sweep();

private:
    void run(const DeletionOrder& order, const Job& job);
    /// Begins the irreversible deletion. Returns none if the account stays, or was already deleted. @throws JobRetry before the due time
    std::optional<interfaces::Person> begin(const UserId& user);
    std::vector<std::string> askKeepers(const interfaces::Person& person);
    void finish(const UserId& user, const interfaces::Person& person);

    Core& _core;
    OwnRecords& _own;
    DataExports& _exports;
    MailTemplate<DeletionMail> _planned;
    MailTemplate<DeletionMail> _done;
};

} // namespace portico::identity
