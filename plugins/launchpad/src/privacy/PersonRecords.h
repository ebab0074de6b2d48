#pragma once

#include "portico/Plugin.h"
#include "portico/interfaces/PersonalData.h"

namespace portico::launchpad
{

/// Personal data of the launchpad: installs, requests, launches, notifications and actions of a person. Thread-safe.
class PersonRecords final : public interfaces::PersonalData
{
public:
    explicit PersonRecords(PluginContext& context) : _context(context) {}

    void give(const interfaces::Person& person, const Receiver& receive) override;
    /// Deletes what belongs to the person in every context, and cancels their own subscriptions. Actions of organizations keep the person's
    /// ID in their history.
    void forget(const interfaces::Person& person) override;

private:
    PluginContext& _context;
};

} // namespace portico::launchpad
