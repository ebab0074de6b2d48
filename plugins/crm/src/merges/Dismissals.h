#pragma once

#include "records/Contact.h"

#include "portico/Database.h"
#include "portico/Table.h"
#include "portico/Tenant.h"

#include <string>
#include <vector>

namespace portico::crm
{

/// Body of POST and DELETE /api/contacts/duplicates/dismiss, and their answer.
struct DismissedDuplicates
{
    std::vector<ContactId> contactIds;
};

constexpr auto schemaOf(const DismissedDuplicates*)
{
    return describe(
        field<&DismissedDuplicates::contactIds>().required().minItems(2).maxItems(11).description("Contacts that are different persons"));
}

/// Two contacts that a user has marked as different persons.
struct Dismissal
{
    /// The smaller id.
    ContactId firstId;
    ContactId secondId;
    /// SHA-256 of what they had in common at that time.
    std::string shared;
    Instant dismissedAt{};
    std::string dismissedBy;
};

constexpr auto schemaOf(const Dismissal*)
{
    return describe(
        members<&Dismissal::firstId, &Dismissal::secondId, &Dismissal::shared, &Dismissal::dismissedAt, &Dismissal::dismissedBy>());
}

inline constexpr Table dismissalTable{"contact_distinct", &Dismissal::firstId, &Dismissal::secondId};

/// Marks all pairs of the contacts that have something in common as different persons. @param contacts not deleted, without duplicates
void dismissPairs(Transaction& transaction, Tenant tenant, const std::vector<Contact>& contacts, const Stamp& stamp);
/// Removes the marks of all pairs of the contacts.
void undismissPairs(Transaction& transaction, Tenant tenant, const std::vector<Contact>& contacts);

/// Finds the pairs that are not suggested. Used by one thread, within one snapshot.
class Dismissals
{
public:
    Dismissals(Session& session, Tenant tenant);
    /// Returns true if the pair is marked, and has the same in common as at that time.
    bool hide(const Contact& one, const Contact& other) const;

private:
    Session& _session;
    const Tenant _tenant;
    const bool _any;
};

} // namespace portico::crm
