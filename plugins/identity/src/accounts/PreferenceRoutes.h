#pragma once

#include "common/Core.h"

#include "portico/Routes.h"

namespace portico::identity
{

/// Preferences of a user: `shared` for all services, and `services` with an object for each service, which defines its content.
struct Preferences
{
    Json shared{"{}"};
    Json services{"{}"};
    /// 0 if nothing was set.
    std::int64_t version = 0;
};

constexpr auto schemaOf(const Preferences*)
{
    return describe(
        field<&Preferences::shared>().description("Object for all services. An update merges it member by member; null removes a member"),
        field<&Preferences::services>().description("One object for each service ID, merged like `shared`"),
        field<&Preferences::version>().readOnly());
}

/// Manages the caller's preferences. Thread-safe.
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
