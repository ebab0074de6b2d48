#include "interfaces/InProcessPreferences.h"

#include "common/Ids.h"

#include <string>
#include <utility>

namespace portico::identity
{

std::string InProcessPreferences::read(const Caller& caller) { return _routes.show(caller).shared.text; }

std::string InProcessPreferences::merge(const Caller& caller, std::string_view patch)
{
    if (!UserId::parse(caller.principalId)) throw Problem::forbidden("permission_denied", "Preferences belong to people.");
    Preferences change;
    change.shared.text = patch;
    // Members of the record in their order: shared, services, version.
    return _routes.change(caller, Body<Preferences>(std::move(change), {true, false, false}), IfMatch(std::string_view())).shared.text;
}

} // namespace portico::identity
