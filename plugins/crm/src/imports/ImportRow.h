#pragma once

#include "exchange/ImportSource.h"
#include "imports/ImportMatch.h"
#include "imports/ImportReport.h"
#include "records/Attachment.h"
#include "records/Contact.h"
#include "records/CustomField.h"

#include "portico/Problem.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

class ImportBatch;
struct ImportScope;

/// A row of a file, ready to be matched and written.
struct ImportRow
{
    /// The parsed row. Its contact includes the values that the import sets for every row (tags, owner, source).
    ParsedRow parsed;
    /// The row as a new contact, in its final form.
    Contact made;
    /// Faults that reject the row, including those of the file.
    std::vector<ImportProblem> problems;
    /// Faults that do not reject the row.
    std::vector<ImportProblem> warnings;
    /// Faults that prevent a new contact, but not a change of an existing one.
    std::vector<ImportProblem> incomplete;
    /// Keys by which duplicates are found.
    std::vector<ImportMatchKey> keys;
    /// True if the row has a valid photo.
    bool hasPhoto = false;
    /// The staged photo. The transaction that attaches it sets `photoUsed`.
    std::optional<Attachment> photo;
    bool photoUsed = false;
};

/// Values shared by all rows of an import or of one of its transactions.
struct ImportRules
{
    const ImportOptions& options;
    const ImportPlan& plan;
    /// Calling code for national phone numbers.
    std::string_view callingCode;
    std::string_view fileName;
    const CustomFields& fields;
    /// Files that a contact can have.
    std::int64_t files = 0;
};

/// Returns true for faults that only prevent a new contact: no identity, and no value of a required custom field.
bool isForNewContacts(const ImportProblem& problem);

/// Completes a row. Nothing is thrown for bad data. An owner has been looked up before (`ownerUserId` of the contact).
void prepare(ImportRow& row, const ImportRules& rules);

struct RowResult
{
    RowOutcome outcome = RowOutcome::Skipped;
    bool duplicateInFile = false;
    /// Why it failed or was skipped as a duplicate.
    std::vector<ImportProblem> problems = {};
    /// The matching contact, and the key of the match; no key if it matched by its values.
    std::optional<ContactId> match = {};
    std::optional<ImportKey> matchedOn = {};
    /// The contact after the change. Only set for a preview.
    std::optional<Contact> changed = {};
};

/// Processes a row: finds its contact, and creates, changes or keeps it.
RowResult takeRow(ImportRow& row, ImportBatch& contacts, const ImportScope& scope, const ImportRules& rules);

/// Returns true if the row would create a contact or change one without a photo. Ignores other rows of the same transaction.
bool canUsePhoto(const ImportRow& row, ImportBatch& contacts, const ImportScope& scope, const ImportRules& rules);

} // namespace portico::crm
