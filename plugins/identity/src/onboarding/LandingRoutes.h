#pragma once

#include "catalog/Landing.h"
#include "common/Core.h"

#include "portico/Routes.h"

namespace portico::identity
{

/// Manages the public pages of services. The manifest's content applies until an administrator changes it. Thread-safe.
class LandingRoutes
{
public:
    explicit LandingRoutes(Core& core) : _core(core) {}
    void declare(Routes& routes);

    Reply<LandingConfig> show(const Path<std::string>& serviceId) const;
    Reply<LandingConfig> put(const Request& request, const Path<std::string>& serviceId, const Body<Patch<LandingConfig>>& patch,
                             const IfMatch& match);

private:
    Core& _core;
};

} // namespace portico::identity
