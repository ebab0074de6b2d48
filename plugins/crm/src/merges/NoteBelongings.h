#pragma once

#include "merges/ContactBelongings.h"

namespace portico::crm
{

/// Notes follow their contact.
class NoteBelongings final : public ContactBelongings
{
public:
    std::string_view name() const noexcept override { return "notes"; }
    Json moveAll(Transaction& transaction, const Absorption& absorption, std::vector<LeftOutValue>& leftOut) const override;
    void giveBack(Transaction& transaction, const Absorption& absorption, const Json& moved) const override;
};

} // namespace portico::crm
