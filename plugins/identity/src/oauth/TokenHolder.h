#pragma once

#include "catalog/Catalog.h"
#include "sessions/SignIn.h"
#include "tokens/Dpop.h"
#include "tokens/TokenCodec.h"

#include "portico/system/Credentials.h"

namespace portico::identity
{

/// Requires a DPoP proof, valid once, for a token that is bound to a key, and none for others. @throws Problem 401 `invalid_token`
void requireHolder(const Dpop& dpop, const interfaces::Credential& credential, const AccessClaims& claims);

/// Returns true if a token of this sign-in is held by a third party (`Caller::delegated`): a third-party app, or a backend after a token
/// exchange. Such tokens work in their service only, and cannot manage the sign-in, which would exceed the app's rights.
bool isDelegated(Session& session, const Catalog& catalog, const SignIn& signIn, const AccessClaims& claims);

} // namespace portico::identity
