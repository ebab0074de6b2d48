#pragma once

#include "clients/OAuthClient.h"
#include "common/Core.h"
#include "signin/SignInRequest.h"

#include <optional>
#include <string>
#include <string_view>

namespace portico::identity
{

/// App on a device that represents a service, and its proven key. Its tokens are bound to that key (RFC 9449), and it gets its refresh
/// token in the answer.
struct NativeApp
{
    OAuthClient client;
    /// Thumbprint of the key.
    std::string jkt;

    /// Returns the app of a request by the proof in its header `DPoP`, which is used up. Returns none if the service has no such app.
    /// @throws Problem 400 `invalid_dpop_proof`
    static std::optional<NativeApp> find(const Core& core, const Request& request, std::string_view clientId, std::string_view serviceId);
    /// Assigns a sign-in to the app.
    void claim(SignInRequest& wanted) const;
};

} // namespace portico::identity
