#pragma once

#include "portico/Plugin.h"
#include "portico/interfaces/PersonalData.h"

namespace portico::crm
{

/// Personal data of CRM users: records that they have written, imported and moved, and their contacts. Contacts themselves belong to the
/// organization. Thread-safe.
class PersonRecords final : public interfaces::PersonalData
{
public:
    explicit PersonRecords(PluginContext& context) : _context(context) {}

    void give(const interfaces::Person& person, const Receiver& receive) override;
    /// Removes the person as owner of contacts, a few hundred in a transaction. Authors of records remain as an id that no longer resolves
    /// to a name.
    void forget(const interfaces::Person& person) override;

private:
    void forgetIn(Tenant organization, std::string_view userId);

    PluginContext& _context;
};

} // namespace portico::crm
