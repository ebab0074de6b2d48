#pragma once

#include "common/Core.h"
#include "signin/SignInFlow.h"

#include "portico/Routes.h"

namespace portico::identity
{

struct ImpersonationInput
{
    std::string reason;
    std::int64_t minutes = 15;
};

constexpr auto schemaOf(const ImpersonationInput*)
{
    return describe(field<&ImpersonationInput::reason>().required().trimmed().maxLength(500),
                    field<&ImpersonationInput::minutes>().range(1, 30));
}

/// Lets operators impersonate a user: with that user's rights, marked in the token and in the audit log, and without refresh tokens. Routes
/// that affect the user's sign-in are blocked (`Access::inPerson`). Impersonation ends with the operator's sign-in, and when they lose the
/// operator's role. Thread-safe.
class ImpersonationRoutes
{
public:
    ImpersonationRoutes(Core& core, SignInFlow& flow) : _core(core), _flow(flow) {}
    void declare(Routes& routes);

    Reply<TokenResponse> begin(const Caller& caller, const Request& request, const Path<UserId>& id, const Body<ImpersonationInput>& input);

private:
    /// Returns the operator's sign-in, and the user to impersonate.
    std::pair<SignIn, User> requireMay(const Caller& caller, const UserId& id) const;

    Core& _core;
    SignInFlow& _flow;
};

} // namespace portico::identity
