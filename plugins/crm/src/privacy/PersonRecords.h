#pragma once

#include "portico/Plugin.h"
#include "portico/interfaces/PersonalData.h"

namespace portico::crm
{

/// What CRM keeps of the people who work with it: what they wrote, brought in and moved, and which contacts are theirs to look after.
/// Contacts themselves are the organization's. Thread-safe.
class PersonRecords final : public interfaces::PersonalData
{
public:
    explicit PersonRecords(PluginContext& context) : _context(context) {}

    void give(const interfaces::Person& person, const Receiver& receive) override;
    /// Contacts get no owner in place of this one. Who wrote or moved something stays noted by the id, which names nobody any more. A few
    /// hundred contacts a transaction.
    void forget(const interfaces::Person& person) override;

private:
    void forgetIn(Tenant organization, std::string_view userId);

    PluginContext& _context;
};

} // namespace portico::crm
