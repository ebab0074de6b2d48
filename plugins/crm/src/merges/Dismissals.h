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
        field<&DismissedDuplicates::contactIds>().required().minItems(2).maxItems(11).description("No two of these are the same person"));
}

/// Two contacts that somebody has told apart.
struct Dismissal
{
    /// The smaller id.
    ContactId firstId;
    ContactId secondId;
    /// SHA-256 of what they shared then.
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

/// Notes of each two of the contacts that share something that they are not the same. @param contacts not deleted, none twice
void dismissPairs(Transaction& transaction, Tenant tenant, const std::vector<Contact>& contacts, const Stamp& stamp);
/// Forgets it of each two of them.
void undismissPairs(Transaction& transaction, Tenant tenant, const std::vector<Contact>& contacts);

/// Which pairs are not suggested. Used by one thread, within one snapshot.
class Dismissals
{
public:
    Dismissals(Session& session, Tenant tenant);
    /// True if they were told apart, and what they share is what it was then.
    bool hide(const Contact& one, const Contact& other) const;

private:
    Session& _session;
    const Tenant _tenant;
    const bool _any;
};

} // namespace portico::crm
