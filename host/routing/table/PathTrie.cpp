#include "host/routing/table/PathTrie.h"

#include <algorithm>
#include <stdexcept>

namespace portico::host::routing
{

namespace
{

constexpr std::string_view gatewayRoot = "/api/auth/";

[[noreturn]] void refuse(std::string_view pattern, std::string_view fault)
{
    throw std::invalid_argument("route pattern \"" + std::string(pattern) + "\": " + std::string(fault));
}

PathPattern::Segment parseSegment(std::string_view pattern, std::string_view text)
{
    if (text.empty()) refuse(pattern, "expected no empty segment; write /a/b without // and without / at the end");
    const bool parameter = text.front() == '{' && text.back() == '}';
    if (parameter && text.size() < 3) refuse(pattern, "expected a name in {}");
    if (!parameter && text.find_first_of("{}?#%") != std::string_view::npos)
        refuse(pattern, "expected segments that are plain text or {name}");
    return {parameter ? std::string() : std::string(text), parameter};
}

/// By length, then text: most comparisons end at the length.
bool before(std::string_view left, std::string_view right) noexcept
{
    return left.size() != right.size() ? left.size() < right.size() : left < right;
}

} // namespace

std::string MethodSet::list() const
{
    MethodSet shown = *this;
    if (has(Method::Get)) shown.add(Method::Head);
    std::string text;
    for (std::size_t i = 0; i < methodCount; ++i)
    {
        const auto method = static_cast<Method>(i);
        if (method != Method::Options && shown.has(method)) text.append(name(method)).append(", ");
    }
    return text.append(name(Method::Options));
}

MethodSet MethodSet::all() noexcept
{
    MethodSet set;
    set._bits = (1U << methodCount) - 1;
    return set;
}

PathPattern PathPattern::parse(std::string_view pattern)
{
    if (pattern.empty() || pattern.front() != '/') refuse(pattern, "expected it to start with /");
    PathPattern parsed;
    std::string_view rest = pattern.substr(1);
    parsed.below = rest.ends_with("/**");
    if (parsed.below) rest.remove_suffix(3);
    while (pattern.size() > 1)
    {
        const auto end = rest.find('/');
        parsed.segments.push_back(parseSegment(pattern, rest.substr(0, end)));
        if (end == std::string_view::npos) break;
        rest.remove_prefix(end + 1);
    }
    const auto parameters = std::count_if(parsed.segments.begin(), parsed.segments.end(), [](const Segment& s) { return s.parameter; });
    if (static_cast<std::size_t>(parameters) > Request::maxPathParameters) refuse(pattern, "expected at most 6 parameters");
    return parsed;
}

bool PathPattern::overlaps(const PathPattern& other) const noexcept
{
    const auto shared = std::min(segments.size(), other.segments.size());
    for (std::size_t i = 0; i < shared; ++i)
        if (!segments[i].parameter && !other.segments[i].parameter && segments[i].literal != other.segments[i].literal) return false;
    if (segments.size() == other.segments.size()) return true;
    return segments.size() < other.segments.size() ? below : other.below;
}

bool PathPattern::yieldsTo(const PathPattern& other) const noexcept
{
    const auto shared = std::min(segments.size(), other.segments.size());
    for (std::size_t i = 0; i < shared; ++i)
        if (segments[i].parameter != other.segments[i].parameter) return segments[i].parameter;
    return false;
}

bool isGatewayPath(std::string_view path) noexcept { return path.starts_with(gatewayRoot); }

std::string gatewayPath(std::string_view pattern)
{
    if (pattern.starts_with(gatewayRoot)) return std::string(pattern);
    pattern.remove_prefix(pattern.starts_with("/api/") ? 5 : 1);
    return std::string(gatewayRoot).append(pattern);
}

std::string forwardedPath(std::string_view path, std::string_view gateway)
{
    const auto root = gatewayPath(path);
    const bool below = gateway.starts_with(root) && (gateway.size() == root.size() || gateway[root.size()] == '/');
    return below ? std::string(path).append(gateway.substr(root.size())) : std::string();
}

struct PathTrie::Search
{
    Method method;
    PathMatch& match;
    std::size_t depth = 0;
};

std::uint32_t PathTrie::child(std::uint32_t node, std::string_view literal) const noexcept
{
    const auto& literals = _nodes[node].literals;
    const auto found = std::ranges::lower_bound(literals, literal, before, &Literal::text);
    return found != literals.end() && found->text == literal ? found->node : none;
}

std::uint32_t PathTrie::descend(std::uint32_t node, const PathPattern::Segment& segment)
{
    const std::uint32_t known = segment.parameter ? _nodes[node].parameter : child(node, segment.literal);
    if (known != none) return known;
    const auto made = static_cast<std::uint32_t>(_nodes.size());
    _nodes.emplace_back();
    if (segment.parameter)
    {
        _nodes[node].parameter = made;
        return made;
    }
    auto& literals = _nodes[node].literals;
    literals.push_back({segment.literal, made});
    std::ranges::sort(literals, before, &Literal::text);
    return made;
}

std::uint32_t PathTrie::descendBelow(std::uint32_t node)
{
    if (_nodes[node].below != none) return _nodes[node].below;
    const auto made = static_cast<std::uint32_t>(_nodes.size());
    _nodes.emplace_back();
    return _nodes[node].below = made;
}

bool PathTrie::add(const PathPattern& pattern, Method method, const RouteEntry& entry)
{
    std::uint32_t node = 0;
    for (const auto& segment : pattern.segments) node = descend(node, segment);
    if (pattern.below) node = descendBelow(node);
    auto& slot = _nodes[node].entries[static_cast<std::size_t>(method)];
    if (slot != nullptr) return false;
    slot = &entry;
    _nodes[node].methods.add(method);
    return true;
}

const RouteEntry* PathTrie::find(const PathPattern& pattern, Method method) const noexcept
{
    std::uint32_t node = 0;
    for (const auto& segment : pattern.segments)
    {
        node = segment.parameter ? _nodes[node].parameter : child(node, segment.literal);
        if (node == none) return nullptr;
    }
    if (pattern.below && (node = _nodes[node].below) == none) return nullptr;
    return _nodes[node].entries[static_cast<std::size_t>(method)];
}

PathMatch PathTrie::match(Method method, std::string_view path) const noexcept
{
    PathMatch match;
    Search state{method, match};
    if (path == "/")
        arrive(_nodes.front(), state);
    else if (!path.empty() && path.front() == '/')
        search(0, path.substr(1), state);
    return match;
}

/// Depth is bounded by the longest pattern, not by the path: a node without children ends the search.
bool PathTrie::search(std::uint32_t node, std::string_view rest, Search& state) const noexcept
{
    const auto end = rest.find('/');
    const auto segment = rest.substr(0, end);
    if (segment.empty()) return false;
    const auto follow = [&](std::uint32_t next)
    { return end == std::string_view::npos ? arrive(_nodes[next], state) : search(next, rest.substr(end + 1), state); };

    if (const auto literal = child(node, segment); literal != none && follow(literal)) return true;
    const bool programs = node == 0 && segment == "api";
    if (const auto parameter = _nodes[node].parameter; parameter != none && !programs)
    {
        state.match.values[state.depth++] = segment;
        if (follow(parameter)) return true;
        --state.depth;
    }
    const auto below = _nodes[node].below;
    return below != none && arrive(_nodes[below], state);
}

bool PathTrie::arrive(const Node& node, Search& state) const noexcept
{
    state.match.methods.add(node.methods);
    const RouteEntry* entry = node.entries[static_cast<std::size_t>(state.method)];
    if (entry == nullptr && state.method == Method::Head) entry = node.entries[static_cast<std::size_t>(Method::Get)];
    if (entry == nullptr) return false;
    state.match.entry = entry;
    state.match.count = state.depth;
    return true;
}

} // namespace portico::host::routing
