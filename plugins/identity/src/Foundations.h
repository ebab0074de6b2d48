#pragma once

#include "catalog/CatalogStore.h"
#include "clients/ClientKeys.h"
#include "common/Core.h"
#include "human/HumanVerification.h"
#include "mails/Mails.h"
#include "sessions/Cookies.h"
#include "sessions/RefreshFamilies.h"
#include "sessions/SessionEvents.h"
#include "signin/TokenIssuer.h"
#include "tokens/KeyRing.h"
#include "users/AccountNotices.h"
#include "users/PasswordRules.h"

#include "portico/Templates.h"

#include <filesystem>

namespace portico::identity
{

/// Owns the objects that `Core` refers to.
class Foundations
{
public:
    explicit Foundations(PluginContext& host)
        : _settings(host.config()),
          _changes(host),
          _catalog(host.database(), _changes),
          _keys(host.database(), _changes, host.clock()),
          _templates(webFolder(host), host.logger()),
          _mails(host, _templates),
          _notices(_mails, host.host().origin),
          _clientKeys(host.http(), host.clock()),
          _human(_settings, host.state(), host.clock(), host.http()),
          _passwordRules(webFolder(host)),
          _cookies(_core),
          _families(_core),
          _tokens(host.database(), _keys, _settings, host.clock(), host.host().origin),
          _sessionEvents(host.channels()),
          _core{.context = host,
                .database = host.database(),
                .state = host.state(),
                .clock = host.clock(),
                .origin = host.host().origin,
                .settings = _settings,
                .changes = _changes,
                .catalog = _catalog,
                .keys = _keys,
                .templates = _templates,
                .mails = _mails,
                .notices = _notices,
                .clientKeys = _clientKeys,
                .human = _human,
                .passwordRules = _passwordRules,
                .cookies = _cookies,
                .families = _families,
                .tokens = _tokens,
                .sessionEvents = _sessionEvents}
    {
    }
    Foundations(const Foundations&) = delete;
    Foundations& operator=(const Foundations&) = delete;

    Core& core() noexcept { return _core; }

private:
    static std::filesystem::path webFolder(PluginContext& host) { return std::filesystem::path(host.host().pluginDirectory) / "web"; }

    const Settings _settings;
    Changes _changes;
    CatalogStore _catalog;
    KeyRing _keys;
    const Templates _templates;
    const Mails _mails;
    const AccountNotices _notices;
    ClientKeys _clientKeys;
    HumanVerification _human;
    const PasswordRules _passwordRules;
    const Cookies _cookies;
    RefreshFamilies _families;
    TokenIssuer _tokens;
    const SessionEvents _sessionEvents;
    Core _core;
};

} // namespace portico::identity
