#pragma once

#include "accounts/PreferenceRoutes.h"
#include "common/Ids.h"

#include "portico/interfaces/SharedPreferences.h"

#include <string>
#include <utility>

namespace portico::identity
{

/// `identity.preferences`: shared preferences for plugins on the same host. Thread-safe.
class InProcessPreferences final : public interfaces::SharedPreferences
{
public:
    explicit InProcessPreferences(Core& core) : _routes(core) {}

    std::string read(const Caller& caller) override { return _routes.show(caller).shared.text; }
    std::string merge(const Caller& caller, std::string_view patch) override
    {
        if (!UserId::parse(caller.principalId)) throw Problem::forbidden("permission_denied", "Preferences belong to people.");
        Preferences change;
        change.shared.text = patch;
        // Members of the record in their order: shared, services, version.
        return _routes.change(caller, Body<Preferences>(std::move(change), {true, false, false}), IfMatch(std::string_view())).shared.text;
    }

private:
    PreferenceRoutes _routes;
};

} // namespace portico::identity
