#pragma once

#include "merges/ContactBelongings.h"

namespace portico::crm
{

/// Notes, which follow their contact.
class NoteBelongings final : public ContactBelongings
{
public:
    std::string_view name() const noexcept override { return "notes"; }
    Json moveAll(Transaction& transaction, std::string_view organizationId, const ContactId& from, const ContactId& to) const override;
    void giveBack(Transaction& transaction, std::string_view organizationId, const ContactId& from, const ContactId& to,
                  const Json& moved) const override;
};

} // namespace portico::crm
