#include "merges/NoteBelongings.h"

#include "portico/Json.h"

#include <string>
#include <vector>

namespace portico::crm
{

namespace
{

void count(Transaction& transaction, std::string_view organizationId, const ContactId& id)
{
    transaction.execute("UPDATE contact SET note_count = (SELECT count(*) FROM note n WHERE n.organization_id = $1 AND n.contact_id = $2) "
                        "WHERE organization_id = $1 AND id = $2",
                        organizationId, id);
}

} // namespace

Json NoteBelongings::moveAll(Transaction& transaction, std::string_view organizationId, const ContactId& from, const ContactId& to) const
{
    std::vector<std::string> moved;
    for (Row row : transaction.query("SELECT note_id FROM note WHERE organization_id = $1 AND contact_id = $2", organizationId, from))
        moved.push_back(row.get<std::string>(0));
    transaction.execute("UPDATE note SET contact_id = $3 WHERE organization_id = $1 AND contact_id = $2", organizationId, from, to);
    count(transaction, organizationId, to);
    return {toJson(moved)};
}

void NoteBelongings::giveBack(Transaction& transaction, std::string_view organizationId, const ContactId& from, const ContactId& to,
                              const Json& moved) const
{
    // One that was deleted meanwhile stays away.
    for (const auto& id : fromJson<std::vector<std::string>>(moved.text))
        transaction.execute("UPDATE note SET contact_id = $4 WHERE organization_id = $1 AND note_id = $2 AND contact_id = $3",
                            organizationId, id, to, from);
    count(transaction, organizationId, from);
    count(transaction, organizationId, to);
}

} // namespace portico::crm
