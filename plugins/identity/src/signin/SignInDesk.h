#pragma once

#include "sessions/Cookies.h"
#include "signin/SignInService.h"

#include "portico/Results.h"

#include <string>
#include <string_view>

namespace portico::identity
{

/// Where every way of proving who one is ends: signs people in and answers with a token, and with the cookies that the request may have.
/// Thread-safe.
class SignInDesk
{
public:
    explicit SignInDesk(Core& core)
        : _core(core),
          _cookies(core),
          _families(core),
          _issuer(core.database, core.keys, core.settings, core.clock, core.origin),
          _signIns(core, _families, _issuer)
    {
    }

    /// A sign-in at a service as the request may ask for it. `clientId` empty: the service's own pages; else a native app of the service.
    /// @throws Problem 403 `csrf_rejected`, 400 `service_mismatch`, `invalid_dpop_proof`, 400 `validation_failed` for a client that there
    /// is not
    SignInRequest begin(const Request& request, std::string_view serviceId, std::string_view clientId = {}) const;
    /// A sign-in at identity itself by a page of ours, which has looked at its form: with cookies.
    static SignInRequest beginOnPage(const Request& request);
    /// @throws Problem 403 as `SignInService::start`
    Reply<TokenResponse> complete(const Request& request, const User& user, const SignInRequest& wish);
    /// Only for who has proved who they are: nobody else learns the state of an account.
    /// @throws Problem 403 `email_not_verified`, `account_suspended`, 401 `refusal` for accounts that are gone
    static void requireActive(const User& user, std::string_view refusal);

    TokenIssuer& issuer() noexcept { return _issuer; }
    SignInService& signIns() noexcept { return _signIns; }
    RefreshFamilies& families() noexcept { return _families; }
    const Cookies& cookies() const noexcept { return _cookies; }

private:
    Core& _core;
    Cookies _cookies;
    RefreshFamilies _families;
    TokenIssuer _issuer;
    SignInService _signIns;
};

} // namespace portico::identity
