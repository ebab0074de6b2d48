#pragma once

#include "attachments/AttachmentService.h"
#include "merges/ContactBelongings.h"

#include "portico/Tenant.h"

namespace portico::crm
{

/// Attachments follow their contact.
class AttachmentBelongings final : public ContactBelongings
{
public:
    explicit AttachmentBelongings(const AttachmentService& attachments) : _attachments(attachments) {}

    std::string_view name() const noexcept override { return "attachments"; }
    Json moveAll(Transaction& transaction, const Absorption& absorption, std::vector<LeftOutValue>& leftOut) const override;
    void forgetLost(Transaction& transaction, Tenant tenant, Contact& contact) const override;
    void giveBack(Transaction& transaction, const Absorption& absorption, const Json& moved) const override;

private:
    const AttachmentService& _attachments;
};

} // namespace portico::crm
