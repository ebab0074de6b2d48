#pragma once

#include "Ids.h"

#include "portico/Database.h"
#include "portico/Schema.h"

#include <string_view>

namespace portico::crm
{

/// One kind of what contacts have and what goes with them when they are merged: notes, attachments, cards. The contacts are locked by the
/// transaction. Thread-safe.
class ContactBelongings
{
public:
    virtual ~ContactBelongings() = default;

    /// Name in the record of a merge; never changes.
    virtual std::string_view name() const noexcept = 0;
    /// Moves all of it from a contact, which is removed afterwards, to another, and keeps counts in the contact's row right. Returns what
    /// `giveBack` needs to know, as JSON.
    virtual Json moveAll(Transaction& transaction, std::string_view organizationId, const ContactId& from, const ContactId& to) const = 0;
    /// Moves what `moveAll` moved, and is still there, from `to` back to `from`, which exists again.
    virtual void giveBack(Transaction& transaction, std::string_view organizationId, const ContactId& from, const ContactId& to,
                          const Json& moved) const = 0;
};

} // namespace portico::crm
