#pragma once

#include "imports/ImportRow.h"
#include "imports/ImportScope.h"
#include "imports/ImportTables.h"

#include <vector>

namespace portico::crm
{

enum class RowOutcome
{
    Created,
    Updated,
    Skipped,
    Failed
};

struct RowResult
{
    RowOutcome outcome = RowOutcome::Skipped;
    bool duplicateInFile = false;
    /// Why it failed or was skipped as a duplicate.
    std::vector<ImportProblem> problems;
};

/// What becomes of one row: finds its contact and makes, changes or leaves it.
class ImportRowStep
{
public:
    ImportRowStep(ImportContacts& contacts, const ImportScope& scope, const ImportRules& rules)
        : _contacts(contacts), _scope(scope), _rules(rules)
    {
    }
    RowResult run(ImportRow& row);
    /// True if the row would make a contact or change one that has no photo: without looking at rows of the same transaction.
    bool canUsePhoto(const ImportRow& row);

private:
    RowResult runMatched(ImportRow& row, const ContactId& match);
    RowResult create(ImportRow& row);
    RowResult change(ImportRow& row, const Contact& before);

    struct Match
    {
        ContactId id;
        /// The row's key that found it, or null.
        const ImportMatchKey* key = nullptr;
    };
    std::optional<Match> find(const ImportRow& row);
    /// A row without any key is known by what it says.
    std::optional<Match> findSame(const ImportRow& row);
    /// The first external id that another contact has.
    std::optional<ImportProblem> takenExternalId(const Contact& contact, const ContactId& self);
    /// Id that the row's photo gets; the row remembers that it is used.
    AttachmentId takePhoto(ImportRow& row) const;
    std::string_view duplicateCode(const ContactId& other) const;
    std::vector<std::string> newNotes(const ImportRow& row, const ContactId& id);

    ImportContacts& _contacts;
    const ImportScope& _scope;
    const ImportRules& _rules;
};

} // namespace portico::crm
