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
        moved[source.text()] = _attachments.reassign(transaction, absorption.organizationId, source, absorption.target);
    return {toJson(moved)};
}

void AttachmentBelongings::forgetLost(Transaction& transaction, std::string_view organizationId, Contact& contact) const
{
    auto& photo = contact.photoAttachmentId;
    if (photo && !_attachments.exists(transaction, organizationId, *photo)) photo.reset();
}

void AttachmentBelongings::giveBack(Transaction& transaction, const Absorption& absorption, const Json& moved) const
{
    const auto attachments = fromJson<AttachmentsBySource>(moved.text);
    for (const auto& source : absorption.sources)
        if (const auto own = attachments.find(source.text()); own != attachments.end())
            _attachments.move(transaction, absorption.organizationId, own->second, absorption.target, source);
}

} // namespace portico::crm
