#pragma once

#include "portico/CrossOrigin.h"

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::routing
{

/// What a request to that origin has in Host: the origin without its scheme.
std::string hostOf(std::string_view origin);
/// Whether a host is an IP address, `localhost` or nothing, at any port: what a request has that was given no service's name.
bool isBareAddress(std::string_view host) noexcept;

/// The web origins that may call with credentials: exact ones, and patterns in which `*` stands for one or more letters, digits and hyphens
/// of one label (`https://*.preview.example`). Immutable once filled.
class AllowedOrigins
{
public:
    void add(std::string_view origin) { _exact.insert(normalOrigin(origin)); }
    void addPattern(std::string_view pattern) { _patterns.push_back(normalOrigin(pattern)); }
    bool allows(std::string_view origin) const noexcept;

private:
    std::set<std::string, std::less<>> _exact;
    std::vector<std::string> _patterns;
};

} // namespace portico::host::routing
