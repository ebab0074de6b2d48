#pragma once

#include "common/Changes.h"
#include "common/Settings.h"

#include "portico/Plugin.h"

#include <string>

namespace portico
{
class Templates;
} // namespace portico

namespace portico::identity
{

class AccountNotices;
class CatalogStore;
class ClientKeys;
class HumanVerification;
class KeyRing;
class Mails;
class PasswordRules;
class RemoteKeys;

/// What rooms of identity share: the host's services, and one object of each kind per generation. `Foundations` owns them; a room includes
/// the header of each object that it calls.
struct Core
{
    PluginContext& context;
    Database& database;
    StateStore& state;
    const Clock& clock;
    /// Identity's own: `iss` of every token.
    const std::string origin;
    const Settings& settings;
    Changes& changes;
    CatalogStore& catalog;
    KeyRing& keys;
    /// Pages and mails: the folder `web` of the plugin.
    const Templates& templates;
    const Mails& mails;
    const AccountNotices& notices;
    RemoteKeys& remoteKeys;
    ClientKeys& clientKeys;
    HumanVerification& human;
    const PasswordRules& passwordRules;
};

} // namespace portico::identity
