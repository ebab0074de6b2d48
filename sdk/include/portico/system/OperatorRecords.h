#pragma once

#include "portico/Request.h"
#include "portico/Services.h"

#include <string_view>

namespace portico::interfaces
{

/// Step-up check and audit log for operator consoles, provided by identity. Thread-safe.
class OperatorRecords : public ServiceInterface
{
public:
    static constexpr std::string_view interfaceName = "identity.operator-records";
    static constexpr std::string_view interfaceVersion = "1.0";

    /// Requires a recent step-up of the caller. @throws Problem 403 `step_up_required`
    virtual void requireElevation(const Caller& caller) = 0;
    /// Writes into the audit trail that the caller of the request has done something. Durable when it returns.
    /// @param type `system.reload` @param target what it was done to @param details JSON text of an object. @throws DatabaseError
    virtual void record(const Request& request, std::string_view type, std::string_view target, std::string_view details) = 0;
};

} // namespace portico::interfaces
