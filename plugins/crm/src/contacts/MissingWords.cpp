#include "contacts/MissingWords.h"

#include "contacts/ContactRow.h"
#include "contacts/ContactStore.h"

#include "portico/Text.h"

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace portico::crm
{

namespace
{

/// Few: each is read whole and locked while it is written.
constexpr std::int64_t outdatedBatch = 100;

bool anyLackWords(PluginContext& context)
{
    auto session = context.database().session();
    return lackWords(session) || !findOutdatedTexts(session, 1).empty();
}

/// Recomputes the folded columns of a contact for sorting, comparing and searching.
void refold(Transaction& transaction, Tenant tenant, const Contact& contact)
{
    const auto columns = columnsOf(contact);
    transaction.execute("UPDATE contact SET sort_name = $3, sort_last_name = $4, folded_name = $5, folded_company = $6 "
                        "WHERE organization_id = $1 AND id = $2 AND (sort_name <> $3 OR sort_last_name <> $4 OR folded_name <> $5 OR "
                        "folded_company <> $6)",
                        tenant, contact.id, columns.sortName, columns.sortLastName, columns.foldedName, columns.foldedCompany);
    refoldText(transaction, tenant, contact.id, searchTextOf(contact));
}

/// The number of contacts that it looked at.
std::size_t refoldSome(Transaction& transaction)
{
    std::map<std::string, std::vector<ContactId>> byOrganization;
    for (auto& [organization, id] : findOutdatedTexts(transaction, outdatedBatch)) byOrganization[organization].push_back(std::move(id));
    std::size_t count = 0;
    for (const auto& [organization, ids] : byOrganization)
    {
        const auto tenant = Tenant::fromStored(organization);
        // Locks the contacts before their texts, as writers do.
        for (const auto& contact : ContactStore().loadMany(transaction, tenant, ids)) refold(transaction, tenant, contact);
        count += ids.size();
    }
    return count;
}

} // namespace

void requestMissingWords(PluginContext& context)
{
    if (!anyLackWords(context)) return;
    context.database().transact([&](Transaction& transaction)
                                { context.jobs().enqueue(transaction, missingWordsJob, {.dedupeKey = std::string(missingWordsJob)}); });
}

void addMissingWords(PluginContext& context, const Job& job)
{
    const auto addSome = [](Transaction& transaction) { return addMissingWords(transaction); };
    for (const auto& some : {std::function<std::size_t(Transaction&)>(addSome), std::function<std::size_t(Transaction&)>(refoldSome)})
        while (context.database().transact(some) > 0)
            if (job.stop.stop_requested()) throw std::runtime_error("Stopped on request: the next run continues");
    if (anyLackWords(context)) throw std::runtime_error("Some contacts are locked: the next run continues");
}

} // namespace portico::crm
