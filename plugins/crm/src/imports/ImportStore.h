#pragma once

#include "contacts/Contact.h"
#include "imports/ImportState.h"

#include "portico/Arguments.h"
#include "portico/Database.h"
#include "portico/Results.h"
#include "portico/Tenant.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::crm
{

/// A row of the table `import_error`: a row of the file that did not go in.
struct ImportErrorRow
{
    std::int64_t fileRow = 0;
    std::string code;
    std::string message;
    /// CSV: the cells of the row; else one with the contact, as JSON, as far as it could be read.
    std::vector<std::string> cells;
};

constexpr auto schemaOf(const ImportErrorRow*)
{
    return describe(field("fileRow", &ImportErrorRow::fileRow), field("code", &ImportErrorRow::code),
                    field("message", &ImportErrorRow::message), field("cells", &ImportErrorRow::cells));
}

/// A row of the table `import_row`: what a contact was before an import changed it.
struct ImportedChange
{
    ContactId contactId;
    std::int64_t fileRow = 0;
    std::int64_t versionAfter = 1;
    bool placed = false;
    /// Empty: the import had made the contact.
    std::optional<Contact> documentBefore;
};

constexpr auto schemaOf(const ImportedChange*)
{
    return describe(field("contactId", &ImportedChange::contactId), field("fileRow", &ImportedChange::fileRow),
                    field("versionAfter", &ImportedChange::versionAfter), field("placed", &ImportedChange::placed),
                    field("documentBefore", &ImportedChange::documentBefore));
}

/// An import, for jobs, which serve all organizations.
struct ImportKeyOfRow
{
    std::string organizationId;
    ImportId importId;
};

/// The rows of imports and of what belongs to them. Every statement names the organization, but for those that jobs ask with. Holds SQL
/// only, so one object serves all threads.
class ImportStore
{
public:
    ImportStore();

    void insert(Transaction& transaction, Tenant tenant, const ImportState& state) const;
    void update(Transaction& transaction, Tenant tenant, const ImportState& state) const;
    std::optional<ImportState> find(Session& session, Tenant tenant, const ImportId& id) const;
    /// The same for changing: no other writer changes it until the transaction ends.
    std::optional<ImportState> load(Transaction& transaction, Tenant tenant, const ImportId& id) const;
    Page<ImportReport> list(Session& session, Tenant tenant, const ImportFilter& filter, const Paging& paging) const;

    void insertErrors(Transaction& transaction, Tenant tenant, const ImportId& id, const std::vector<ImportErrorRow>& rows) const;
    /// Rows that did not go in, in the order of the file, after one of them.
    std::vector<ImportErrorRow> refusedRows(Session& session, Tenant tenant, const ImportId& id, std::int64_t after,
                                            std::int64_t limit) const;
    void removeErrors(Transaction& transaction, Tenant tenant, const ImportId& id) const;

    /// Keeps what a contact was before its first change, and the version after its last.
    void recordChange(Transaction& transaction, Tenant tenant, const ImportId& id, const ImportedChange& change) const;
    /// Contacts from before whose last change came from a row before this one, the last row first.
    std::vector<ImportedChange> changes(Transaction& transaction, Tenant tenant, const ImportId& id, std::int64_t beforeRow,
                                        std::int64_t limit) const;
    std::optional<ImportedChange> changeOf(Transaction& transaction, Tenant tenant, const ImportId& id, const ContactId& contact) const;
    /// Version of a contact after the last row of the file that changed it; empty if only the row did that made it.
    std::optional<std::int64_t> versionAfter(Transaction& transaction, Tenant tenant, const ImportId& id, const ContactId& contact) const;
    void forgetChange(Transaction& transaction, Tenant tenant, const ImportId& id, const ContactId& contact) const;

    /// Removes up to so many rows of what a check had found; false when there are none.
    bool removeChecked(Transaction& transaction, Tenant tenant, const ImportId& id, std::int64_t limit) const;
    /// Removes up to so many rows of what an undo and the error file need; false when there are none.
    bool removeKept(Transaction& transaction, Tenant tenant, const ImportId& id, std::int64_t limit) const;

    /// Imports of all organizations that are not done and have not moved since.
    std::vector<ImportKeyOfRow> stalled(Session& session, Instant since) const;
    /// Imports of all organizations whose undo and error file are over.
    std::vector<ImportKeyOfRow> toForget(Session& session, Instant now) const;

private:
    std::string _select;
};

} // namespace portico::crm
