#include "merges/CardBelongings.h"

#include "data/SqlText.h"

#include "portico/Json.h"

#include <set>

namespace portico::crm
{

void CardBelongings::lock(Transaction& transaction, Tenant tenant, const std::vector<std::string>& contactIds) const
{
    SqlConditions conditions;
    conditions.add("organization_id = " + conditions.bind(std::string(tenant.text())));
    conditions.addIn("contact_id", contactIds);
    std::set<PipelineId> pipelines;
    for (Row row : transaction.queryValues("SELECT pipeline_id FROM pipeline_card WHERE " + conditions.text(), conditions.values()))
        pipelines.insert(row.get<PipelineId>(0));
    for (const auto& id : pipelines) _pipelines.lock(transaction, tenant, id);
}

Json CardBelongings::moveAll(Transaction& transaction, const Absorption& absorption, std::vector<LeftOutValue>& leftOut) const
{
    const auto moved = _merge.reassign(transaction, Tenant::fromStored(absorption.organizationId), absorption.target, absorption.sources);
    std::set<PipelineId> taken(moved.kept.begin(), moved.kept.end());
    for (const auto& card : moved.cards)
        if (!taken.insert(card.pipelineId).second)
            leftOut.push_back({"pipelines", card.contactId, {toJson(card)}, LeftOutReason::OtherValue});
    return {toJson(moved)};
}

void CardBelongings::giveBack(Transaction& transaction, const Absorption& absorption, const Json& moved) const
{
    _merge.giveBack(transaction, Tenant::fromStored(absorption.organizationId), absorption.target, fromJson<MergedCards>(moved.text));
}

} // namespace portico::crm
