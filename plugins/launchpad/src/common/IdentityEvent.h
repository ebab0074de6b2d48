#pragma once

#include "portico/Schema.h"

#include <string>

namespace portico::launchpad
{

struct IdentityActor
{
    std::string type;
    std::string id;
};

constexpr auto schemaOf(const IdentityActor*) { return describe(members<&IdentityActor::type, &IdentityActor::id>()); }

/// Data of the events that identity publishes.
struct IdentityEvent
{
    /// The record that changed.
    std::string id;
    std::string change;
    IdentityActor actor;
    Json details;
    /// The organization that operates the platform; empty if there is none.
    std::string platformOrganizationId;
};

constexpr auto schemaOf(const IdentityEvent*)
{
    return describe(members<&IdentityEvent::id, &IdentityEvent::change, &IdentityEvent::actor, &IdentityEvent::details,
                            &IdentityEvent::platformOrganizationId>());
}

} // namespace portico::launchpad
