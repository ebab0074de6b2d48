#pragma once

#include "accounts/PreferenceRoutes.h"

#include "portico/interfaces/SharedPreferences.h"

namespace portico::identity
{

/// `identity.preferences`: shared preferences for plugins on the same host. Thread-safe.
class InProcessPreferences final : public interfaces::SharedPreferences
{
public:
    explicit InProcessPreferences(Core& core) : _routes(core) {}
    std::string read(const Caller& caller) override;
    std::string merge(const Caller& caller, std::string_view patch) override;

private:
    PreferenceRoutes _routes;
};

} // namespace portico::identity
