#pragma once

#include "portico/Schema.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// Declares the app of a service on devices (`nativeClient` of the manifest): its OAuth client is `<service_id>-mobile`.
struct NativeClient
{
    /// Paths on the service's own origin, https URLs, loopback addresses, or URLs of a private scheme.
    std::vector<std::string> redirectUris;
};

constexpr auto schemaOf(const NativeClient*) { return describe(field<&NativeClient::redirectUris>().required().minItems(1).maxItems(10)); }

/// Ends the client ID of a service's native app.
inline constexpr std::string_view nativeClientSuffix = "-mobile";

/// Returns whether `http://host:port` names the device that opens it. Looks at the whole host: `localhost.evil.example` is foreign.
bool isLoopback(std::string_view origin);

/// Returns whether a native app may receive codes at a complete URL: https, a loopback address, or a scheme with a dot or a hyphen, which
/// no scheme that a browser executes has.
bool isNativeRedirect(std::string_view uri);

} // namespace portico::identity
