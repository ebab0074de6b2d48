#include "merges/NoteBelongings.h"

#include "portico/Json.h"

#include <map>

namespace portico::crm
{

namespace
{

using NotesBySource = std::map<std::string, std::vector<NoteId>>;

void count(Transaction& transaction, Tenant tenant, const ContactId& id)
{
    transaction.execute("UPDATE contact SET note_count = (SELECT count(*) FROM note n WHERE n.organization_id = $1 AND n.contact_id = $2) "
                        "WHERE organization_id = $1 AND id = $2",
                        tenant, id);
}

} // namespace

Json NoteBelongings::moveAll(Transaction& transaction, const Absorption& absorption, std::vector<LeftOutValue>&) const
{
    const auto tenant = Tenant::fromStored(absorption.organizationId);
    NotesBySource moved;
    for (const auto& source : absorption.sources)
    {
        for (Row row : transaction.query("SELECT note_id FROM note WHERE organization_id = $1 AND contact_id = $2", tenant, source))
            moved[source.text()].push_back(row.get<NoteId>(0));
        transaction.execute("UPDATE note SET contact_id = $3, version = version + 1 WHERE organization_id = $1 AND contact_id = $2", tenant,
                            source, absorption.target);
    }
    count(transaction, tenant, absorption.target);
    return {toJson(moved)};
}

void NoteBelongings::giveBack(Transaction& transaction, const Absorption& absorption, const Json& moved) const
{
    const auto tenant = Tenant::fromStored(absorption.organizationId);
    const auto notes = fromJson<NotesBySource>(moved.text);
    for (const auto& source : absorption.sources)
    {
        const auto own = notes.find(source.text());
        if (own == notes.end()) continue;
        // One that was deleted meanwhile stays away.
        for (const auto& id : own->second)
            transaction.execute("UPDATE note SET contact_id = $4, version = version + 1 "
                                "WHERE organization_id = $1 AND note_id = $2 AND contact_id = $3",
                                tenant, id, absorption.target, source);
        count(transaction, tenant, source);
    }
    count(transaction, tenant, absorption.target);
}

} // namespace portico::crm
