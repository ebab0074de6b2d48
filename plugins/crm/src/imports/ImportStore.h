#pragma once

#include "imports/ImportState.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::crm
{

/// What a contact was before an import changed it.
struct ImportedChange
{
    ImportId importId;
    ContactId contactId;
    std::int64_t fileRow = 0;
    std::int64_t versionAfter = 1;
    bool placed = false;
    /// Empty: the import had made the contact.
    std::optional<Contact> documentBefore;
};

constexpr auto schemaOf(const ImportedChange*)
{
    return describe(members<&ImportedChange::importId, &ImportedChange::contactId, &ImportedChange::fileRow, &ImportedChange::versionAfter,
                            &ImportedChange::placed, &ImportedChange::documentBefore>());
}

inline constexpr Table importChangeTable{"import_row", &ImportedChange::importId, &ImportedChange::contactId};

/// Keeps what a contact was before its first change, and the version after its last.
void recordChange(Transaction& transaction, Tenant tenant, const ImportedChange& change);

/// A contact is again what it was at an older version: imports that can be undone from there can be so again.
void carryImportsOver(Transaction& transaction, Tenant tenant, const ContactId& id, std::int64_t fromVersion, std::int64_t toVersion);

Page<ImportReport> listImports(Session& session, Tenant tenant, const ImportFilter& filter, const Paging& paging);

/// Removes up to so many rows of what a check had found; false when there are none.
bool removeChecked(Transaction& transaction, Tenant tenant, const ImportId& id, std::int64_t limit);
/// Removes up to so many rows of what an undo and the error file need; false when there are none.
bool removeKept(Transaction& transaction, Tenant tenant, const ImportId& id, std::int64_t limit);

/// An import, for jobs, which serve all organizations.
struct ImportKeyOfRow
{
    std::string organizationId;
    ImportId importId;
};

/// Imports of all organizations that are not done and have not moved since.
std::vector<ImportKeyOfRow> stalledImports(Session& session, Instant since);
/// Dry runs of all organizations whose file is kept no longer.
std::vector<ImportKeyOfRow> importsWithOldFiles(Session& session, Instant now);
/// Imports of all organizations whose undo and error file are over.
std::vector<ImportKeyOfRow> importsToForget(Session& session, Instant now);

} // namespace portico::crm
