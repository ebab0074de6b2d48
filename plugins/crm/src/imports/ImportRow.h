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
    /// As it was read; what the import sets for every row (tags, owner, source) is in its contact.
    ParsedRow parsed;
    /// What it would be as a new contact, in its final form.
    Contact made;
    /// Why the row cannot go in; with what was wrong in the file.
    std::vector<ImportProblem> problems;
    /// What does not keep the row out.
    std::vector<ImportProblem> warnings;
    /// Why it cannot be a new contact, though it could change one.
    std::optional<ImportProblem> incomplete;
    /// By what a duplicate is known.
    std::vector<ImportMatchKey> keys;
    /// Its photo is one that contacts can have.
    bool hasPhoto = false;
    /// The photo, written but nobody's yet; the transaction that uses it says so.
    std::optional<Attachment> photo;
    bool photoUsed = false;
};

/// What is the same for all rows of an import, or of one of its transactions.
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

/// Completes a row. Nothing is thrown for bad data. An owner has been looked up before (`ownerUserId` of the contact).
void prepare(ImportRow& row, const ImportRules& rules);

struct RowResult
{
    RowOutcome outcome = RowOutcome::Skipped;
    bool duplicateInFile = false;
    /// Why it failed or was skipped as a duplicate.
    std::vector<ImportProblem> problems = {};
    /// The contact that the row was found to be, and by which key: none if by what it says.
    std::optional<ContactId> match = {};
    std::optional<ImportKey> matchedOn = {};
    /// What that contact becomes. Only for who wants to show it.
    std::optional<Contact> changed = {};
};

/// What becomes of a row: finds its contact and makes, changes or leaves it.
RowResult takeRow(ImportRow& row, ImportBatch& contacts, const ImportScope& scope, const ImportRules& rules);

/// True if the row would make a contact or change one that has no photo: without looking at rows of the same transaction.
bool canUsePhoto(const ImportRow& row, ImportBatch& contacts, const ImportScope& scope, const ImportRules& rules);

} // namespace portico::crm
