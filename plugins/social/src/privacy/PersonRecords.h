#pragma once

#include "portico/Plugin.h"
#include "portico/interfaces/PersonalData.h"

namespace portico::social
{

/// Gives a person what they wrote: posts, suggestions, seeds and approvals belong to the organization and stay there. Forgetting a person
/// erases their name in the events of brands, which the chain of hashes allows. Thread-safe.
class PersonRecords final : public interfaces::PersonalData
{
public:
    explicit PersonRecords(PluginContext& context) : _context(context) {}

    void give(const interfaces::Person& person, const Receiver& receive) override;
    void forget(const interfaces::Person& person) override;

private:
    PluginContext& _context;
};

} // namespace portico::social
