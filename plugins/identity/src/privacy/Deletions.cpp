#include "privacy/Deletions.h"

#include "audit/Audit.h"
#include "organizations/Memberships.h"
#include "permissions/Actor.h"
#include "privacy/Keepers.h"
#include "sessions/SessionEvents.h"
#include "sessions/SignIn.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

constexpr std::string_view deletionJob = "identity.deletion";

std::string jobKey(const UserId& user) { return "deletion:" + user.text(); }
std::string dateOf(Instant instant) { return toString(instant).substr(0, 10); }

void noteStep(Database& database, const std::string& userId, std::string_view serviceId, Instant now)
{
    database.transact(
        [&](Transaction& transaction)
        {
            transaction.execute("INSERT INTO erasure_steps (user_id, service_id, done_at) VALUES ($1, $2, $3) "
                                "ON CONFLICT (user_id, service_id) DO NOTHING",
                                userId, serviceId, now);
        });
}

} // namespace

std::vector<WaitingDeletion> deletions::waiting(Session& session)
{
    return waitingDeletionTable.select().orderBy(&WaitingDeletion::startedAt).all(session, 100);
}

void Deletions::start() { _core.context.jobs().handle(deletionJob, &Deletions::run, this); }

Instant Deletions::plan(const Caller& caller, const Request& request)
{
    std::vector<std::string> ended;
    const auto at = _core.changes.run({Tenant::fromStored(caller.principalId)},
                                      [&](Transaction& transaction)
                                      {
                                          const auto now = _core.clock.now();
                                          requireElevation(transaction, caller, now);
                                          const auto user = users::find(transaction, caller.principalId);
                                          if (!user || user->status != UserStatus::Active) throw invalidToken("user_suspended");
                                          memberships::requireAnotherOwnerEverywhere(transaction, user->id);
                                          const auto due = now + _core.settings.accounts.deletionGrace;
                                          userTable.set(transaction, user->id, {now}, &User::status, UserStatus::Deactivated,
                                                        &User::deletionAt, due, &User::revision, increment);
                                          ended = sign_ins::endAll(transaction, user->id, end_reason::userDisabled, now);
                                          _core.context.jobs().enqueue(transaction, deletionJob, DeletionOrder{user->id},
                                                                       {.dedupeKey = jobKey(user->id), .dueAt = due});
                                          _planned.send(transaction, mailRecipient(*user), {_core.origin + "/login", dateOf(due)});
                                          AuditLog::personal(request, now).record(transaction, "user.deletion_planned", caller.principalId);
                                          return due;
                                      });
    _core.sessionEvents.ended(ended);
    return at;
}

void Deletions::sweep()
{
    _core.database.transact(
        [&](Transaction& transaction)
        {
            for (const auto& user : transaction.values<UserId>("SELECT id FROM users WHERE status = 'deactivated' AND deletion_at <= $1 "
                                                               "UNION SELECT user_id FROM erasures WHERE finished_at IS NULL",
                                                               _core.clock.now()))
                _core.context.jobs().enqueue(transaction, deletionJob, DeletionOrder{user}, {.dedupeKey = jobKey(user)});
        });
}

void Deletions::run(const DeletionOrder& order, const Job&)
{
    const auto person = begin(order.userId);
    if (!person) return;
    _exports.forget(order.userId);
    _own.forget(*person);
    const auto away = askKeepers(*person);
    _core.database.transact([&](Transaction& transaction)
                            { waitingDeletionTable.set(transaction, order.userId, &WaitingDeletion::waitingFor, away); });
    if (!away.empty()) throw JobRetry::after(keepers::awayWait, keepers::whyWaiting(away)).uncounted();
    finish(order.userId, *person);
}

std::optional<interfaces::Person> Deletions::begin(const UserId& id)
{
    return _core.changes.run({id},
                             [&](Transaction& transaction) -> std::optional<interfaces::Person>
                             {
                                 const auto now = _core.clock.now();
                                 const auto user = users::find(transaction, id.text());
                                 if (user && user->status == UserStatus::Deactivated && user->deletionAt && now < *user->deletionAt)
                                     throw JobRetry::at(*user->deletionAt).uncounted();
                                 const auto changed = userTable.select()
                                                          .where(&User::id, id)
                                                          .where(&User::status, UserStatus::Deactivated)
                                                          .where("deletion_at <= ?", now)
                                                          .set(transaction, &User::status, UserStatus::Deleted, &User::revision, increment);
                                 if (changed == 1)
                                     waitingDeletionTable.insert(
                                         transaction, {id, {}, now, user->emailVerified ? user->email : std::string(), user->locale, {}});
                                 const auto deletion = waitingDeletionTable.find(transaction, id);
                                 if (!deletion) return std::nullopt;
                                 return keepers::person(transaction, id.text(), deletion->email);
                             });
}

/// @return those that are away, or could not
std::vector<std::string> Deletions::askKeepers(const interfaces::Person& person)
{
    auto& services = _core.context.services();
    std::vector<std::string> done;
    std::vector<std::string> all;
    {
        auto session = _core.database.session();
        done = session.values<std::string>("SELECT service_id FROM erasure_steps WHERE user_id = $1", person.userId);
        all = keepers::all(services, session);
    }
    std::vector<std::string> away;
    for (const auto& id : all)
    {
        if (std::ranges::find(done, id) != done.end()) continue;
        try
        {
            const auto service = keepers::find(services, id);
            if (!service)
            {
                away.push_back(id);
                continue;
            }
            service->forget(person);
            noteStep(_core.database, person.userId, id, _core.clock.now());
        }
        catch (const std::exception& error)
        {
            _core.context.logger().warning("A service failed to erase a deleted user's data; will be retried",
                                           {{"service", id}, {"userId", person.userId}, {"error", error.what()}});
            away.push_back(id);
        }
    }
    return away;
}

void Deletions::finish(const UserId& user, const interfaces::Person& person)
{
    _core.database.transact(
        [&](Transaction& transaction)
        {
            const auto now = _core.clock.now();
            const auto deletion = waitingDeletionTable.findForUpdate(transaction, user);
            if (!deletion) return;
            waitingDeletionTable.set(transaction, user, &WaitingDeletion::email, "", &WaitingDeletion::finishedAt, now);
            if (!person.email.empty()) _done.send(transaction, {person.email, {}, deletion->locale}, {_core.origin, dateOf(now)});
            AuditLog::ofUser({}, user, now).record(transaction, "user.data_erased", user);
        });
}

} // namespace portico::identity
