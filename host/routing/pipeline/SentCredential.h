#pragma once

#include "portico/Caller.h"
#include "portico/Request.h"

#include <string_view>

namespace portico::host::routing
{

/// The explicit credential of a request: what `Authorization` or `X-Api-Key` carries. A query string or a body is never looked at.
struct SentCredential
{
    CredentialKind kind = CredentialKind::None;
    std::string_view value;

    /// @throws Problem 400 `multiple_credentials` for more than one, 401 `invalid_token` for one that is malformed.
    static SentCredential read(const Request& request);
};

} // namespace portico::host::routing
