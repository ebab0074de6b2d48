#pragma once

#include "factors/SecondFactors.h"
#include "passkeys/Passkeys.h"
#include "signin/PendingSignIns.h"
#include "signin/SignInFlow.h"

#include "portico/Routes.h"

namespace portico::identity
{

struct MfaInput
{
    std::string mfaToken;
    FactorKind factor = FactorKind::Totp;
    std::string code;
    Json credential;
};

constexpr auto schemaOf(const MfaInput*)
{
    return describe(field<&MfaInput::mfaToken>().required().maxLength(100), field<&MfaInput::factor>().required(),
                    field<&MfaInput::code>().maxLength(40), field<&MfaInput::credential>());
}

/// Second step of a sign-in with a password. Thread-safe.
class MfaRoutes
{
public:
    MfaRoutes(Core& core, SignInFlow& flow, SecondFactors& secondFactors, Passkeys& passkeys)
        : _core(core), _flow(flow), _secondFactors(secondFactors), _passkeys(passkeys), _pending(core)
    {
    }
    void declare(Routes& routes);

    Reply<TokenResponse> verify(const Request& request, const Body<MfaInput>& input);
    /// Does the same for identity's sign-in page. @throws Problem like the route
    Reply<TokenResponse> verifyOnPage(const Request& request, const MfaInput& input);

private:
    Reply<TokenResponse> proceed(const Request& request, const PendingSignIn& pending, const MfaInput& input, SignInRequest wanted);
    /// Returns the proof in terms of amr. @throws Problem 401 `invalid_code`
    std::string_view requireProof(const User& user, const PendingSignIn& pending, const MfaInput& input, const Request& request);

    Core& _core;
    SignInFlow& _flow;
    SecondFactors& _secondFactors;
    Passkeys& _passkeys;
    PendingSignIns _pending;
};

} // namespace portico::identity
