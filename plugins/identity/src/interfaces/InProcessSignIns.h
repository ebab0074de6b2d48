#pragma once

#include "common/Core.h"
#include "households/HouseholdRoutes.h"
#include "interfaces/InProcessCatalog.h"
#include "login/SessionRoutes.h"
#include "login/SsoRoutes.h"

#include "portico/interfaces/SignIns.h"
#include "portico/system/Credentials.h"

namespace portico::identity
{

/// `identity.sign-ins`: the routes of sign-ins for plugins on the same host. Thread-safe.
class InProcessSignIns final : public interfaces::SignIns
{
public:
    InProcessSignIns(Core& core, SessionRoutes& sessions, SsoRoutes& sso, HouseholdRoutes& households, interfaces::Credentials& credentials,
                     InProcessCatalog& catalog)
        : _core(core), _sessions(sessions), _sso(sso), _households(households), _credentials(credentials), _catalog(catalog)
    {
    }

    interfaces::Handoff handoff(const Caller& caller, const interfaces::HandoffWish& request) override;
    interfaces::ContextChange changeContext(const Caller& caller, std::string_view organizationId, std::string_view clientAddress) override;
    void selectHousehold(const Caller& caller, std::string_view householdId) override;
    std::shared_ptr<const Caller> behindRefreshCookie(std::string_view handle, std::string_view serviceId,
                                                      std::string_view clientAddress) override;
    std::string widgetToken(const Caller& caller, std::string_view serviceId) override;
    std::optional<interfaces::PendingHandoff> pendingHandoff(std::string_view code) override { return _sso.pending(code); }

private:
    /// The live sign-in and user of a handle that would be rotated, or was a moment ago.
    std::optional<LiveSignIn> holderOf(std::string_view handle, std::string_view serviceId);

    Core& _core;
    SessionRoutes& _sessions;
    SsoRoutes& _sso;
    HouseholdRoutes& _households;
    interfaces::Credentials& _credentials;
    InProcessCatalog& _catalog;
};

} // namespace portico::identity
