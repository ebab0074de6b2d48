#pragma once

#include "imports/ImportState.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::crm
{

/// State of a contact before an import changed it.
struct ImportedChange
{
    ImportId importId;
    ContactId contactId;
    std::int64_t fileRow = 0;
    std::int64_t versionAfter = 1;
    bool placed = false;
    /// Empty if the import has created the contact.
    std::optional<Contact> documentBefore;
};

constexpr auto schemaOf(const ImportedChange*)
{
    return describe(members<&ImportedChange::importId, &ImportedChange::contactId, &ImportedChange::fileRow, &ImportedChange::versionAfter,
                            &ImportedChange::placed, &ImportedChange::documentBefore>());
}

inline constexpr Table importChangeTable{"import_row", &ImportedChange::importId, &ImportedChange::contactId};

/// Stores the state of a contact before its first change, and the version after its last.
void recordChange(Transaction& transaction, Tenant tenant, const ImportedChange& change);

/// Called when a contact has been restored to an older version: imports that could be undone at that version can be undone again.
void carryImportsOver(Transaction& transaction, Tenant tenant, const ContactId& id, std::int64_t fromVersion, std::int64_t toVersion);
/// Removes the undo data of a contact, because the contact is removed permanently. Returns no other contacts.
std::vector<ContactId> forgetImportedChanges(Transaction& transaction, Tenant tenant, const ContactId& id);

Page<ImportReport> listImports(Session& session, Tenant tenant, const ImportFilter& filter, const Paging& paging);

/// Deletes up to `limit` rows of the check's results. Returns false if there are none.
bool removeChecked(Transaction& transaction, Tenant tenant, const ImportId& id, std::int64_t limit);
/// Deletes up to `limit` rows of undo data and of the error file. Returns false if there are none.
bool removeKept(Transaction& transaction, Tenant tenant, const ImportId& id, std::int64_t limit);

/// Import of any organization, for jobs.
struct ImportKeyOfRow
{
    std::string organizationId;
    ImportId importId;
};

/// Returns unfinished imports of all organizations without progress since then.
std::vector<ImportKeyOfRow> stalledImports(Session& session, Instant since);
/// Returns dry runs of all organizations whose file has expired.
std::vector<ImportKeyOfRow> importsWithOldFiles(Session& session, Instant now);
/// Returns imports of all organizations whose undo and error file have expired.
std::vector<ImportKeyOfRow> importsToForget(Session& session, Instant now);

} // namespace portico::crm
