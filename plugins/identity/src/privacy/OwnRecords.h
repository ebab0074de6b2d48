#pragma once

#include "common/Core.h"

#include "portico/interfaces/PersonalData.h"

namespace portico::identity
{

/// Personal data in identity. Thread-safe.
class OwnRecords final : public interfaces::PersonalData
{
public:
    explicit OwnRecords(Core& core) : _core(core) {}

    void give(const interfaces::Person& person, const Receiver& receive) override;
    /// Erases in one transaction. The account's row stays without name and address, so that its id is never reused. The audit log, whose
    /// entries contain ids, stays unchanged.
    void forget(const interfaces::Person& person) override;

private:
    Core& _core;
};

} // namespace portico::identity
