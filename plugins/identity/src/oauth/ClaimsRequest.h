#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// Parameter `claims` (OpenID Connect Core, 5.5). Only the parts that affect answers are read. Claims are returned by scopes, in ID token
/// and userinfo alike, so that the consent page can name them.
struct ClaimsRequest
{
    /// Scopes of the requested claims.
    std::vector<std::string> scopes;
    /// The sign-in must have one of these, if there are any (5.5.1.1).
    std::vector<std::string> essentialAcr;
    /// Required subject of the ID token.
    std::optional<std::string> subject;

    /// Returns none for an invalid request. Unknown claims are left out.
    static std::optional<ClaimsRequest> parse(std::string_view json);
};

} // namespace portico::identity
