#pragma once

#include "merges/ContactBelongings.h"
#include "pipelines/CardMerge.h"
#include "pipelines/PipelineStore.h"

#include "portico/Tenant.h"

namespace portico::crm
{

/// Cards and their history follow their contact, one card on each board.
class CardBelongings final : public ContactBelongings
{
public:
    CardBelongings(const PipelineStore& pipelines, const CardStore& cards, const HistoryStore& history)
        : _pipelines(pipelines), _merge(pipelines, cards, history)
    {
    }

    std::string_view name() const noexcept override { return "cards"; }
    /// The pipelines on which the contacts stand, so that nobody gives their cards new positions meanwhile.
    void lock(Transaction& transaction, Tenant tenant, const std::vector<std::string>& contactIds) const override;
    Json moveAll(Transaction& transaction, const Absorption& absorption, std::vector<LeftOutValue>& leftOut) const override;
    void giveBack(Transaction& transaction, const Absorption& absorption, const Json& moved) const override;

private:
    const PipelineStore& _pipelines;
    CardMerge _merge;
};

} // namespace portico::crm
