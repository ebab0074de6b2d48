#pragma once

#include "common/Core.h"
#include "sessions/SessionEvents.h"

#include "portico/interfaces/PersonalData.h"

namespace portico::identity
{

/// What identity itself keeps of a person. Thread-safe.
class OwnRecords final : public interfaces::PersonalData
{
public:
    explicit OwnRecords(Core& core) : _core(core), _events(core.context.channels()) {}

    void give(const interfaces::Person& person, const Receiver& receive) override;
    /// In one transaction. The row of the account stays without a name or an address, so that its id is never used again and the audit
    /// trail, whose entries keep ids, stays as it was written.
    void forget(const interfaces::Person& person) override;

private:
    Core& _core;
    SessionEvents _events;
};

} // namespace portico::identity
