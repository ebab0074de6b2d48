#pragma once

#include "clients/ServicePrincipal.h"
#include "tokens/TokenCodec.h"

#include "portico/Caller.h"

namespace portico::identity
{

/// A client that speaks for itself, as the caller of a request. @param claims of its token
Caller describeService(const AccessClaims& claims, const ServicePrincipal& principal);

} // namespace portico::identity
