#pragma once

#include "signin/SignInService.h"

#include "portico/Results.h"

#include <string>
#include <string_view>

namespace portico::identity
{

/// Completes every kind of authentication: signs users in, and answers with a token and the cookies that the request may have. Thread-safe.
class SignInDesk
{
public:
    explicit SignInDesk(Core& core) : _core(core), _signIns(core) {}

    /// Starts a sign-in at a service.
    /// @param clientId empty: the service's pages; else a native app of the service
    /// @throws Problem 403 `csrf_rejected`, 400 `service_mismatch`, `invalid_dpop_proof`, 400 `validation_failed` for an unknown client
    SignInRequest begin(const Request& request, std::string_view serviceId, std::string_view clientId = {}) const;
    /// Starts a sign-in at identity from one of its pages, which has checked its form. Uses cookies.
    static SignInRequest beginOnPage(const Request& request);
    /// @throws Problem 403 like `SignInService::start`
    Reply<TokenResponse> complete(const Request& request, const User& user, const SignInRequest& wish);
    /// Call it only after authentication, because it reveals the state of an account.
    /// @throws Problem 403 `email_not_verified`, `account_suspended`, 401 `refusal` for deleted accounts
    static void requireActive(const User& user, std::string_view refusal);

    SignInService& signIns() noexcept { return _signIns; }

private:
    Core& _core;
    SignInService _signIns;
};

} // namespace portico::identity
