#include "merges/AttachmentBelongings.h"

#include "portico/Json.h"

#include <map>

namespace portico::crm
{

namespace
{

using AttachmentsBySource = std::map<std::string, std::vector<AttachmentId>>;

} // namespace

Json AttachmentBelongings::moveAll(Transaction& transaction, const Absorption& absorption, std::vector<LeftOutValue>&) const
{
    AttachmentsBySource moved;
    for (const auto& source : absorption.sources)
        moved[source.text()] = _attachments.reassign(transaction, Tenant::fromStored(absorption.organizationId), source, absorption.target);
    return {toJson(moved)};
}

void AttachmentBelongings::forgetLost(Transaction& transaction, Tenant tenant, Contact& contact) const
{
    auto& photo = contact.photoAttachmentId;
    if (photo && !_attachments.exists(transaction, tenant, *photo)) photo.reset();
}

void AttachmentBelongings::giveBack(Transaction& transaction, const Absorption& absorption, const Json& moved) const
{
    const auto attachments = fromJson<AttachmentsBySource>(moved.text);
    for (const auto& source : absorption.sources)
        if (const auto own = attachments.find(source.text()); own != attachments.end())
            _attachments.move(transaction, Tenant::fromStored(absorption.organizationId), own->second, absorption.target, source);
}

} // namespace portico::crm
