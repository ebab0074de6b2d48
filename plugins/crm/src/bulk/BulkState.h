#pragma once

#include "bulk/Bulk.h"
#include "pipelines/CardRow.h"
#include "records/Contact.h"

#include "portico/Events.h"
#include "portico/Table.h"

#include <chrono>

namespace portico::crm
{

/// Change to each contact, including the members that the client has set to null.
struct BulkPlan
{
    BulkChange change;
    /// Removes the owner.
    bool disown = false;
    /// Removes the contacts from the board of `change.pipelineId`.
    bool takeOff = false;

    bool moves() const noexcept { return takeOff || change.stageId.has_value(); }
};

constexpr auto schemaOf(const BulkPlan*) { return describe(members<&BulkPlan::change, &BulkPlan::disown, &BulkPlan::takeOff>()); }

/// A row of the table `bulk`.
struct BulkState : BulkFacts
{
    BulkPlan plan;
    /// The last contact that was dealt with: written in the transaction that dealt with it, so that nothing is done twice.
    std::string position;
    std::int64_t changed = 0;
    std::int64_t unchanged = 0;
    std::int64_t failed = 0;
    std::vector<BulkError> errors;
    std::optional<Instant> undoUntil;
    std::int64_t undone = 0;
    /// When the rows of bulk_contact go.
    std::optional<Instant> forgetAt;
};

constexpr auto schemaOf(const BulkState*)
{
    return describe(members<&BulkState::bulkId, &BulkState::status, &BulkState::dryRun, &BulkState::plan, &BulkState::selected,
                            &BulkState::position, &BulkState::changed, &BulkState::unchanged, &BulkState::failed, &BulkState::errors,
                            &BulkState::createdBy, &BulkState::startedAt, &BulkState::updatedAt, &BulkState::finishedAt,
                            &BulkState::undoUntil, &BulkState::undoneAt, &BulkState::undone, &BulkState::forgetAt, &BulkState::version>());
}

inline constexpr Table<BulkState, BulkId> bulkTable{"bulk", &BulkState::bulkId};

/// State of a contact before a bulk change, limited to members that bulk changes can modify.
struct BulkPrevious
{
    /// Version of the contact after the change; 0 if only its card was moved.
    std::int64_t versionAfter = 0;
    std::vector<std::string> tags;
    std::optional<UserId> ownerUserId;
    Lifecycle lifecycle = Lifecycle::Lead;
    DoNotContact doNotContact;
    /// Stage from which its card was moved; empty if it had none.
    bool moved = false;
    std::optional<StageId> stageId;
    Instant movedAt{};
    /// Version of the contact before the change; 0: the one before `versionAfter`.
    std::int64_t versionBefore = 0;
    /// Card before the move. Empty if it had none, and in states that older versions have stored.
    std::optional<CardRow> card = {};
};

constexpr auto schemaOf(const BulkPrevious*)
{
    return describe(members<&BulkPrevious::versionAfter, &BulkPrevious::tags, &BulkPrevious::ownerUserId, &BulkPrevious::lifecycle,
                            &BulkPrevious::doNotContact, &BulkPrevious::moved, &BulkPrevious::stageId, &BulkPrevious::movedAt,
                            &BulkPrevious::versionBefore>(),
                    field<&BulkPrevious::card>().omitEmpty());
}

/// A contact of a bulk change.
struct BulkContact
{
    BulkId bulkId;
    ContactId contactId;
    /// Set once it was changed.
    std::optional<BulkPrevious> previous;
};

constexpr auto schemaOf(const BulkContact*)
{
    return describe(members<&BulkContact::bulkId, &BulkContact::contactId, &BulkContact::previous>());
}

inline constexpr Table bulkContactTable{"bulk_contact", &BulkContact::bulkId, &BulkContact::contactId};

/// Stores the state of a contact before a bulk change that includes it.
void keepPrevious(Transaction& transaction, Tenant tenant, const BulkId& id, const ContactId& contact, const BulkPrevious& previous);
/// Called when a contact has been restored to an older version: bulk changes that could be undone at that version can be undone again.
void carryBulkChangesOver(Transaction& transaction, Tenant tenant, const ContactId& id, std::int64_t fromVersion, std::int64_t toVersion);
/// Removes the undo data of a contact, because the contact is removed permanently. Returns no other contacts.
std::vector<ContactId> forgetBulkChanges(Transaction& transaction, Tenant tenant, const ContactId& id);

/// Returns the report for answers.
BulkReport reportOf(const BulkState& state);

/// How long a bulk change can be undone.
constexpr std::chrono::hours bulkKept{30 * 24};

/// Ends a bulk change, and publishes `crm.bulk.completed`: the report without the change itself. A dry run publishes nothing.
void finish(BulkState& state, BulkStatus status, Instant now);
void announce(Events& events, Session& session, Tenant tenant, std::string_view what, const BulkState& state);

} // namespace portico::crm
