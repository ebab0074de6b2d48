#include "merges/DuplicateGroups.h"

#include "contacts/ContactDuplicates.h"

namespace portico::crm
{

namespace
{

static_assert(maxOfOneDomain == 200, "The SQL below repeats the value");

struct Sql
{
    std::string_view keys;
    std::string_view members;
};

constexpr Sql sqlOf(DuplicateReason reason)
{
    switch (reason)
    {
    case DuplicateReason::Email:
        return {"SELECT address, '' FROM contact_email WHERE organization_id = $1 AND address > $2 AND $3 = '' GROUP BY address "
                "HAVING count(*) > 1 ORDER BY address LIMIT $4",
                "SELECT x.contact_id FROM contact_email x WHERE x.organization_id = $1 AND x.address = $2 AND $3 = ''"};
    case DuplicateReason::Phone:
        return {"SELECT number, '' FROM contact_phone WHERE organization_id = $1 AND number > $2 AND number LIKE '+%' AND $3 = '' "
                "GROUP BY number HAVING count(*) > 1 ORDER BY number LIMIT $4",
                "SELECT x.contact_id FROM contact_phone x WHERE x.organization_id = $1 AND x.number = $2 AND $3 = ''"};
    case DuplicateReason::NameAndCompany:
        return {"SELECT folded_name, folded_company FROM contact WHERE organization_id = $1 AND deleted_at IS NULL AND folded_name <> '' "
                "AND folded_company <> '' AND (folded_name, folded_company) > ($2, $3) GROUP BY folded_name, folded_company "
                "HAVING count(*) > 1 ORDER BY folded_name, folded_company LIMIT $4",
                "SELECT x.id FROM contact x WHERE x.organization_id = $1 AND x.folded_name = $2 AND x.folded_company = $3 "
                "AND x.deleted_at IS NULL"};
    case DuplicateReason::MailDomain:
        return {"SELECT domain, '' FROM contact_email WHERE organization_id = $1 AND domain > $2 AND $3 = '' GROUP BY domain "
                "HAVING count(*) BETWEEN 2 AND 200 ORDER BY domain LIMIT $4",
                "SELECT x.contact_id FROM contact_email x WHERE x.organization_id = $1 AND x.domain = $2 AND $3 = ''"};
    }
    return {};
}

} // namespace

std::vector<GroupKey> DuplicateGroups::keysAfter(DuplicateReason reason, const GroupKey& key, std::int64_t limit) const
{
    std::vector<GroupKey> keys;
    for (Row row : _session.query(sqlOf(reason).keys, _tenant, key[0], key[1], limit))
        keys.push_back({row.get<std::string>(0), row.get<std::string>(1)});
    return keys;
}

bool DuplicateGroups::isTelling(const std::string& domain) const
{
    if (isPublicMailHost(domain)) return false;
    const auto count = _session.value<std::int64_t>(
        "SELECT count(*) FROM (SELECT 1 FROM contact_email WHERE organization_id = $1 AND domain = $2 LIMIT $3) AS x", _tenant, domain,
        maxOfOneDomain + 1);
    return count.value_or(0) <= maxOfOneDomain;
}

std::string DuplicateGroups::membersStatement(DuplicateReason reason)
{
    // The members first: SQLite, which knows no sizes, walks all contacts for each group where an index of ids can serve it.
    return "SELECT c.id, c.folded_name FROM contact c WHERE c.organization_id = $1 AND c.id IN (" + std::string(sqlOf(reason).members) +
           ") AND c.id || '' > $4 AND c.deleted_at IS NULL ORDER BY c.id LIMIT $5";
}

std::vector<GroupMember> DuplicateGroups::membersAfter(DuplicateReason reason, const GroupKey& key, std::string_view contactId,
                                                       std::int64_t limit) const
{
    std::vector<GroupMember> members;
    for (Row row : _session.query(membersStatement(reason), _tenant, key[0], key[1], contactId, limit))
        members.push_back({row.get<ContactId>(0), row.get<std::string>(1)});
    return members;
}

} // namespace portico::crm
