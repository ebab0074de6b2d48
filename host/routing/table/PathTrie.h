#pragma once

#include "portico/Http.h"
#include "portico/Request.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::routing
{

inline constexpr std::size_t methodCount = 7;

/// Which methods a path has.
class MethodSet
{
public:
    void add(Method method) noexcept { _bits |= static_cast<std::uint8_t>(1U << static_cast<unsigned>(method)); }
    void add(MethodSet other) noexcept { _bits |= other._bits; }
    bool has(Method method) const noexcept { return (_bits >> static_cast<unsigned>(method)) & 1U; }
    bool empty() const noexcept { return _bits == 0; }
    /// Lists methods for `Allow` and `Access-Control-Allow-Methods`: HEAD in addition to GET, and OPTIONS, which every path has.
    std::string list() const;
    static MethodSet all() noexcept;

private:
    std::uint8_t _bits = 0;
};

/// A route's pattern cut into segments: `/api/contacts/{id}` is `api`, `contacts`, parameter. `/contacts/**` matches all paths below
/// `/contacts`; only pages of the host have it.
struct PathPattern
{
    struct Segment
    {
        /// Empty for a parameter.
        std::string literal;
        bool parameter = false;
    };
    std::vector<Segment> segments;
    bool below = false;

    /// Returns true if some path matches both; with `**`, the part before it also matches.
    bool overlaps(const PathPattern& other) const noexcept;
    /// Returns true if the other pattern wins for all paths that match both: at the first difference it has a literal, and this one a
    /// parameter.
    bool yieldsTo(const PathPattern& other) const noexcept;
    /// @throws std::invalid_argument for a pattern without a `/` in front, with an empty segment (but `/` itself) or too many parameters.
    static PathPattern parse(std::string_view pattern);
};

/// Path of a gateway route on all origins: below `/api/auth/`, without the pattern's own leading `/api/auth/`, `/api/` or `/`.
std::string gatewayPath(std::string_view pattern);
/// Returns true for a path at which gateway routes are found.
bool isGatewayPath(std::string_view path) noexcept;
/// The pattern under which a service that forwards `path` (`/api/households`) serves the gateway route at `gateway`
/// (`/api/auth/households/{id}`): `/api/households/{id}`. Empty if the route is not at or below it.
std::string forwardedPath(std::string_view path, std::string_view gateway);

struct RouteEntry;

/// Result of a path lookup. Views point into the requested path.
struct PathMatch
{
    /// Null if no route of the method matches the path.
    const RouteEntry* entry = nullptr;
    /// Methods of all routes that take the path; empty: there is no such path.
    MethodSet methods;

    std::span<const std::string_view> parameters() const noexcept { return {values.data(), count}; }

    std::array<std::string_view, Request::maxPathParameters> values{};
    std::size_t count = 0;
};

/// The routes of one origin as a trie over segments. A literal wins over a parameter, and that over `**`. A path that fails further down is
/// tried with the next of them, so declaration order never matters. No parameter matches the `api` of `/api/…`: requests for missing API
/// paths come from programs, which do not want the page at `/{name}`. Built by one thread; then immutable and read by all. Lookups allocate
/// nothing.
class PathTrie
{
public:
    PathTrie() : _nodes(1) {}
    bool empty() const noexcept { return _nodes.size() == 1 && _nodes.front().methods.empty(); }
    /// False (and no effect) if a route of that method and shape is there.
    bool add(const PathPattern& pattern, Method method, const RouteEntry& entry);
    /// The entry of that method and shape, or null.
    const RouteEntry* find(const PathPattern& pattern, Method method) const noexcept;
    /// HEAD matches GET if it has no route.
    PathMatch match(Method method, std::string_view path) const noexcept;

private:
    static constexpr std::uint32_t none = 0;
    struct Literal
    {
        std::string text;
        std::uint32_t node;
    };
    struct Node
    {
        std::vector<Literal> literals;
        std::uint32_t parameter = none;
        /// Node of `**`: has entries and no nodes below it.
        std::uint32_t below = none;
        std::array<const RouteEntry*, methodCount> entries{};
        MethodSet methods;
    };
    struct Search;

    std::uint32_t child(std::uint32_t node, std::string_view literal) const noexcept;
    std::uint32_t descend(std::uint32_t node, const PathPattern::Segment& segment);
    std::uint32_t descendBelow(std::uint32_t node);
    bool search(std::uint32_t node, std::string_view rest, Search& state) const noexcept;
    bool arrive(const Node& node, Search& state) const noexcept;

    /// The root first. No node refers to it, so its index means "no node".
    std::vector<Node> _nodes;
};

} // namespace portico::host::routing
