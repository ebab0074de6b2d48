#include "imports/ImportTables.h"

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

} // namespace portico::crm
