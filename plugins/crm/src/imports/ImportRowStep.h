#pragma once

#include "imports/ImportContacts.h"
#include "imports/ImportRow.h"
#include "imports/ImportScope.h"

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
    RowResult run(const ImportRow& row);

private:
    RowResult runMatched(const ImportRow& row, const ContactId& match);
    RowResult create(const ImportRow& row);
    RowResult change(const ImportRow& row, const Contact& before);

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
    std::string_view duplicateCode(const ContactId& other) const;
    std::vector<std::string> newNotes(const ImportRow& row, const ContactId& id);

    ImportContacts& _contacts;
    const ImportScope& _scope;
    const ImportRules& _rules;
};

} // namespace portico::crm
