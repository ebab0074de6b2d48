#pragma once

#include "accounts/AccountNotices.h"
#include "catalog/CatalogStore.h"
#include "common/Settings.h"
#include "human/HumanVerification.h"
#include "mails/Mails.h"
#include "oauth/ClientKeys.h"
#include "oauth/RemoteKeys.h"
#include "tokens/KeyRing.h"
#include "users/PasswordRules.h"

#include "portico/Plugin.h"
#include "portico/Templates.h"

#include <filesystem>

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
          keys(database, changes, clock),
          templates(std::filesystem::path(host.host().pluginDirectory) / "web", host.logger()),
          mails(host, templates),
          notices(mails, origin),
          remoteKeys(host.http(), clock),
          human(settings, state, clock, host.http()),
          passwordRules(std::filesystem::path(host.host().pluginDirectory) / "web")
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
    /// Pages and mails: the folder `web` of the plugin.
    const Templates templates;
    const Mails mails;
    const AccountNotices notices;
    RemoteKeys remoteKeys;
    ClientKeys clientKeys;
    HumanVerification human;
    const PasswordRules passwordRules;
};

} // namespace portico::identity
