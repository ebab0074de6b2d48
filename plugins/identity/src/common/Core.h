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
class Cookies;
class HumanVerification;
class KeyRing;
class Mails;
class PasswordRules;
class RefreshFamilies;
class SessionEvents;
class TokenIssuer;

/// Objects that all rooms of identity share: services of the host, and one object of each kind per generation. `Foundations` owns them. A
/// room includes the header of each object that it calls.
struct Core
{
    PluginContext& context;
    Database& database;
    StateStore& state;
    const Clock& clock;
    /// Identity's origin: `iss` of every token.
    const std::string origin;
    const Settings& settings;
    Changes& changes;
    CatalogStore& catalog;
    KeyRing& keys;
    /// Templates of pages and mails, from the plugin's folder `web`.
    const Templates& templates;
    const Mails& mails;
    const AccountNotices& notices;
    ClientKeys& clientKeys;
    HumanVerification& human;
    const PasswordRules& passwordRules;
    const Cookies& cookies;
    RefreshFamilies& families;
    TokenIssuer& tokens;
    const SessionEvents& sessionEvents;

    /// Returns the result of `work` in a new session.
    template <class F>
    auto read(F&& work) const
    {
        auto session = database.session();
        return work(session);
    }
};

} // namespace portico::identity
