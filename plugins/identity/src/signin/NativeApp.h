#pragma once

#include "clients/OAuthClient.h"
#include "common/Core.h"
#include "signin/SignInService.h"

#include <optional>
#include <string>
#include <string_view>

namespace portico::identity
{

/// An app on somebody's device that stands for a service, and the key that it has proved to hold: its tokens are bound to that key
/// (RFC 9449), and it gets its refresh token in the answer.
struct NativeApp
{
    OAuthClient client;
    /// Thumbprint of the key.
    std::string jkt;

    /// The app that a request is from, by the proof in its header `DPoP`, which is spent. Empty: the service has no such app.
    /// @throws Problem 400 `invalid_dpop_proof`
    static std::optional<NativeApp> find(const Core& core, const Request& request, std::string_view clientId, std::string_view serviceId);
    /// Makes a sign-in the app's.
    void claim(SignInRequest& wish) const;
};

} // namespace portico::identity
