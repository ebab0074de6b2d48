#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// The parameter `claims` (OpenID Connect Core, 5.5), as far as it can change an answer: claims come by the scopes that hold them, in ID
/// token and userinfo alike, so that people are asked for what they give in the same words.
struct ClaimsRequest
{
    /// Scopes of the claims that are asked for.
    std::vector<std::string> scopes;
    /// One of these has to be the sign-in's, if there are any (5.5.1.1).
    std::vector<std::string> essentialAcr;
    /// Whose ID token it has to be.
    std::optional<std::string> subject;

    /// Empty: that is no such request. Claims that we do not know are left out.
    static std::optional<ClaimsRequest> parse(std::string_view json);
};

} // namespace portico::identity
