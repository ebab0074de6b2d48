#include "privacy/PersonRecords.h"

#include "contacts/ContactSweep.h"
#include "records/Attachment.h"
#include "records/HistoryEntry.h"
#include "records/Note.h"

#include "portico/Json.h"

namespace portico::crm
{

namespace
{

constexpr int pieceOfRecords = 200;

struct LookedAfter
{
    ContactId id;
};

constexpr auto schemaOf(const LookedAfter*) { return describe(field<&LookedAfter::id>()); }

struct StartedImport
{
    ImportId importId;
    std::string fileName;
    Instant startedAt{};
};

constexpr auto schemaOf(const StartedImport*)
{
    return describe(members<&StartedImport::importId, &StartedImport::fileName, &StartedImport::startedAt>());
}

struct StartedBulk
{
    BulkId bulkId;
    Instant startedAt{};
};

constexpr auto schemaOf(const StartedBulk*) { return describe(members<&StartedBulk::bulkId, &StartedBulk::startedAt>()); }

struct DoneMerge
{
    MergeId mergeId;
    ContactId targetId;
    Instant mergedAt{};
};

constexpr auto schemaOf(const DoneMerge*) { return describe(members<&DoneMerge::mergeId, &DoneMerge::targetId, &DoneMerge::mergedAt>()); }

/// One person's rows in one organization, piece by piece by their id; no session is held while the receiver works.
class OwnRows
{
public:
    OwnRows(Database& database, Tenant organization, std::string_view userId, const interfaces::PersonalData::Receiver& receive)
        : _database(database), _organization(organization), _userId(userId), _receive(receive)
    {
    }

    /// @param by the column that says who it was
    template <class T, class I>
    void give(std::string_view kind, std::string_view table, std::string_view by, std::string_view idColumn, I T::*id) const
    {
        const auto sql = "SELECT " + columns<T>() + " FROM " + std::string(table) + " WHERE organization_id = $1 AND " + std::string(by) +
                         " = $2 AND " + std::string(idColumn) + " > $3 ORDER BY " + std::string(idColumn) + " LIMIT " +
                         std::to_string(pieceOfRecords);
        std::string after;
        for (bool more = true; more;)
        {
            const auto rows = _database.session().all<T>(sql, _organization, _userId, after);
            for (const auto& row : rows) _receive(kind, within(toJson(row)));
            more = rows.size() == pieceOfRecords;
            if (more) after = (rows.back().*id).text();
        }
    }

private:
    /// The record with the organization that it is of in front.
    std::string within(std::string record) const
    {
        return R"({"organizationId":")" + std::string(_organization.text()) + "\"," + record.substr(1);
    }

    Database& _database;
    Tenant _organization;
    std::string_view _userId;
    const interfaces::PersonalData::Receiver& _receive;
};

} // namespace

void PersonRecords::give(const interfaces::Person& person, const Receiver& receive)
{
    for (const auto& id : person.organizationIds)
    {
        const OwnRows rows(_context.database(), Tenant::fromStored(id), person.userId, receive);
        rows.give<Note>("notes", "note", "created_by", "note_id", &Note::noteId);
        rows.give<Attachment>("attachments", "attachment", "created_by", "id", &Attachment::id);
        rows.give<HistoryEntry>("pipelineMoves", "pipeline_history", "moved_by", "history_id", &HistoryEntry::historyId);
        rows.give<StartedImport>("imports", "import", "created_by", "import_id", &StartedImport::importId);
        rows.give<StartedBulk>("bulkChanges", "bulk", "created_by", "bulk_id", &StartedBulk::bulkId);
        rows.give<DoneMerge>("merges", "contact_merge", "merged_by", "merge_id", &DoneMerge::mergeId);
        rows.give<LookedAfter>("contactsLookedAfter", "contact", "owner_user_id", "id", &LookedAfter::id);
    }
}

void PersonRecords::forget(const interfaces::Person& person)
{
    for (const auto& id : person.organizationIds) forgetIn(Tenant::fromStored(id), person.userId);
}

void PersonRecords::forgetIn(Tenant organization, std::string_view userId)
{
    const auto disown = [&](Contact& contact)
    {
        const bool theirs = contact.ownerUserId && contact.ownerUserId->text() == userId;
        if (theirs) contact.ownerUserId.reset();
        return theirs;
    };
    std::vector<ContactId> ids;
    do {
        const std::string last = ids.empty() ? std::string() : ids.back().text();
        ids = _context.database().transact(
            [&](Transaction& transaction)
            {
                auto next = transaction.values<ContactId>("SELECT id FROM contact WHERE organization_id = $1 AND owner_user_id = $2 "
                                                          "AND id > $3 ORDER BY id LIMIT $4",
                                                          organization, userId, last, sweepBatch);
                changeContacts(_context, transaction, organization, next, disown);
                return next;
            });
    } while (ids.size() == static_cast<std::size_t>(sweepBatch));
}

} // namespace portico::crm
