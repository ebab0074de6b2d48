#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace portico::host::routing
{

/// A route's pattern cut into segments: `/api/contacts/{id}` is `api`, `contacts`, parameter.
struct PathPattern
{
    struct Segment
    {
        /// Empty for a parameter.
        std::string literal;
        bool parameter = false;
    };
    std::vector<Segment> segments;

    /// @throws std::invalid_argument for a pattern that does not start with `/`, has an empty segment (but `/` itself) or too many
    /// parameters.
    static PathPattern parse(std::string_view pattern);
    /// The pattern without the names of its parameters: patterns that take the same paths have the same one.
    std::string shape() const;
};

/// Where a gateway route is found on the origins of the services: a path under `/api/auth/` stays, any other loses its leading `/api/` or
/// `/`.
std::string gatewayPath(std::string_view pattern);

} // namespace portico::host::routing
