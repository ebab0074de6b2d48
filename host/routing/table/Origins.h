#pragma once

#include "portico/CrossOrigin.h"

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace portico::host::routing
{

/// Lets maps of strings be asked with views.
struct TextHash
{
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
};
template <class T>
using TextMap = std::unordered_map<std::string, T, TextHash, std::equal_to<>>;
using TextSet = std::unordered_set<std::string, TextHash, std::equal_to<>>;

/// What a request to that origin has in Host: the origin without its scheme.
std::string hostOf(std::string_view origin);

/// The web origins that may call with credentials: exact ones, and patterns in which `*` stands for one or more letters, digits and hyphens
/// of one label (`https://*.preview.example`). Immutable once filled.
class AllowedOrigins
{
public:
    void add(std::string_view origin) { _exact.insert(normalOrigin(origin)); }
    void addPattern(std::string_view pattern) { _patterns.push_back(normalOrigin(pattern)); }
    bool allows(std::string_view origin) const noexcept;

private:
    TextSet _exact;
    std::vector<std::string> _patterns;
};

} // namespace portico::host::routing
