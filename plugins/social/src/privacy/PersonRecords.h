#pragma once

#include "portico/Plugin.h"
#include "portico/interfaces/PersonalData.h"

namespace portico::social
{

/// Exports a person's texts. Posts, suggestions, seeds and approvals belong to the organization and stay there. Erasure removes the
/// person's name from the events of brands, which the hash chain allows. Thread-safe.
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
