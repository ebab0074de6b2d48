#pragma once

#include "common/Core.h"

#include "portico/Routes.h"

namespace portico::identity
{

/// What somebody has set for themselves: `shared` for all services, `services` by service id, each an object of that service's own.
struct Preferences
{
    Json shared{"{}"};
    Json services{"{}"};
    /// 0 until something is set.
    std::int64_t version = 0;
};

constexpr auto schemaOf(const Preferences*)
{
    return describe(members<&Preferences::shared, &Preferences::services>(), field<&Preferences::version>().readOnly());
}

/// The caller's own preferences. Thread-safe.
class PreferenceRoutes
{
public:
    explicit PreferenceRoutes(Core& core) : _core(core) {}
    void declare(Routes& routes);

    Preferences show(const Caller& caller) const;
    Preferences change(const Caller& caller, const Body<Preferences>& patch, const IfMatch& match);

private:
    Core& _core;
};

} // namespace portico::identity
