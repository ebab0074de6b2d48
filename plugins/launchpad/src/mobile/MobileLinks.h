#pragma once

#include "catalog/Registry.h"
#include "mobile/AssociationFiles.h"

#include "portico/Routes.h"

namespace portico::launchpad
{

/// Serves the two files by which phones decide that links of this origin open in a native app. Thread-safe.
class MobileLinks
{
public:
    MobileLinks(PluginContext& context, const Registry& registry) : _registry(registry), _shell(context.config()) {}
    void declare(Routes& routes);

    Response apple() const;
    Response android() const;

private:
    const Registry& _registry;
    const ShellIds _shell;
};

} // namespace portico::launchpad
