#pragma once

#include "catalog/Catalog.h"
#include "sessions/SignIn.h"
#include "tokens/Dpop.h"
#include "tokens/TokenCodec.h"

#include "portico/system/Credentials.h"

namespace portico::identity
{

/// A token that is bound to a key comes with a proof of it, once; any other without. @throws Problem 401 `invalid_token`
void requireHolder(const Dpop& dpop, const interfaces::Credential& credential, const AccessClaims& claims);

/// Whether somebody else than an app of this installation holds a token of this sign-in (`Caller::delegated`): the app of another party, or
/// a backend that it was exchanged for. Those work in their service, and never on the sign-in itself, which would open more than the app
/// was allowed.
bool isDelegated(Session& session, const Catalog& catalog, const SignIn& signIn, const AccessClaims& claims);

} // namespace portico::identity
