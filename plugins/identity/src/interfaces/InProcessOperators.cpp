#include "interfaces/InProcessOperators.h"

#include "audit/Audit.h"
#include "permissions/Actor.h"

namespace portico::identity
{

void InProcessOperators::requireElevation(const Caller& caller)
{
    auto session = _core.database.session();
    identity::requireElevation(session, caller, _core.clock.now());
}

void InProcessOperators::record(const Request& request, std::string_view type, std::string_view target, std::string_view details)
{
    _core.database.transact(
        [&](Transaction& transaction)
        { AuditLog::of(request, _core.clock.now()).record(transaction, EventName(type), target, Json{std::string(details)}); });
}

} // namespace portico::identity
