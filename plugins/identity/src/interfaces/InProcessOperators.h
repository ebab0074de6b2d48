#pragma once

#include "common/Core.h"

#include "portico/system/OperatorRecords.h"

namespace portico::identity
{

/// `identity.operator-records`: step-up and audit for the console. Thread-safe.
class InProcessOperators final : public interfaces::OperatorRecords
{
public:
    explicit InProcessOperators(Core& core) : _core(core) {}

    void requireElevation(const Caller& caller) override;
    void record(const Request& request, std::string_view type, std::string_view target, std::string_view details) override;

private:
    Core& _core;
};

} // namespace portico::identity
