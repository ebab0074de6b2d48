#pragma once

#include "catalog/CatalogStore.h"
#include "common/Settings.h"
#include "tokens/KeyRing.h"

#include "portico/Plugin.h"

namespace portico::identity
{

/// What the parts of identity stand on: the host's side and what is known, one of each a generation.
struct Core
{
    explicit Core(PluginContext& host)
        : context(host),
          database(host.database()),
          state(host.state()),
          clock(host.clock()),
          origin(host.host().origin),
          settings(host.config()),
          changes(host),
          catalog(database, changes),
          keys(database, changes, clock)
    {
    }

    PluginContext& context;
    Database& database;
    StateStore& state;
    const Clock& clock;
    /// Identity's own: `iss` of every token.
    const std::string origin;
    Settings settings;
    Changes changes;
    CatalogStore catalog;
    KeyRing keys;
};

} // namespace portico::identity
