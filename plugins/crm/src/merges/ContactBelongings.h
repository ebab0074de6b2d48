#pragma once

#include "merges/Merge.h"

#include "portico/Database.h"
#include "portico/Tenant.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// A merge as those see it who move what belongs to its contacts.
struct Absorption
{
    std::string organizationId;
    /// The contact that stays, and those that go into it.
    ContactId target;
    std::vector<ContactId> sources;
};

/// One kind of what contacts have and what goes with them when they are merged: notes, attachments, cards. Thread-safe.
class ContactBelongings
{
public:
    virtual ~ContactBelongings() = default;

    /// Name in the record of a merge; never changes.
    virtual std::string_view name() const noexcept = 0;
    /// Takes the locks that must be taken before those of the contacts.
    virtual void lock(Transaction& transaction, Tenant tenant, const std::vector<std::string>& contactIds) const;
    /// Moves all of it from the sources, which are removed afterwards, to the target, and keeps right what the target's row shows of it.
    /// The contacts are locked. Returns what `giveBack` needs to know, as JSON; `leftOut` gets what could not be moved.
    virtual Json moveAll(Transaction& transaction, const Absorption& absorption, std::vector<LeftOutValue>& leftOut) const = 0;
    /// Takes from a contact that an undoing is about to write as it was what was deleted since. The target is locked and has all of it.
    virtual void forgetLost(Transaction& transaction, Tenant tenant, Contact& contact) const;
    /// Moves what `moveAll` moved, and is still there, back to the sources, which exist again.
    virtual void giveBack(Transaction& transaction, const Absorption& absorption, const Json& moved) const = 0;
};

} // namespace portico::crm
