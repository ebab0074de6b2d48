#include "imports/ImportTables.h"

#include "data/InList.h"
#include "data/ManyRows.h"
#include "imports/ImportIds.h"

namespace portico::crm
{

bool isOlder(const ContactId& id, std::optional<Instant> createdAt, const ContactId& other, std::optional<Instant> otherCreatedAt)
{
    if (createdAt && otherCreatedAt && *createdAt != *otherCreatedAt) return *createdAt < *otherCreatedAt;
    if (createdAt.has_value() != otherCreatedAt.has_value()) return createdAt.has_value();
    return id < other;
}

void OldestFound::add(ImportMatchKey key, ContactId id, std::optional<Instant> createdAt)
{
    if (isMadeBy(_import, id)) createdAt.reset();
    const auto [place, isNew] = _oldest.try_emplace(std::move(key), Candidate{id, createdAt});
    auto& oldest = place->second;
    if (!isNew && isOlder(id, createdAt, oldest.id, oldest.createdAt)) oldest = {std::move(id), createdAt};
}

ImportTables::Found OldestFound::take() &&
{
    ImportTables::Found found;
    for (auto& [key, oldest] : _oldest) found.emplace_hint(found.end(), key, std::move(oldest.id));
    return found;
}

std::int64_t markMet(const ImportScope& scope, std::string_view kind, const std::vector<ContactId>& ids)
{
    ManyRows rows("import_key (organization_id, import_id, kind, key_text, contact_id)", 5, "ON CONFLICT DO NOTHING");
    for (const auto& id : ids) rows.add(scope.tenant, scope.importId(), kind, id, "");
    return rows.write(scope.transaction);
}

std::set<ContactId> markedMet(const ImportScope& scope, std::string_view kind, const std::set<ContactId>& ids)
{
    std::vector<std::string> texts;
    for (const auto& id : ids) texts.push_back(id.text());
    std::set<ContactId> marked;
    const InList list("SELECT key_text FROM import_key WHERE organization_id = $1 AND import_id = $2 AND kind = $3 AND contact_id = '' "
                      "AND key_text IN {}",
                      3);
    list.query(scope.transaction, {scope.tenant, scope.importId(), kind}, texts, [&](Row row) { marked.insert(row.get<ContactId>(0)); });
    return marked;
}

} // namespace portico::crm
