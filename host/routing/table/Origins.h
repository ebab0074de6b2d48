#pragma once

#include "portico/CrossOrigin.h"

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::routing
{

/// Returns the Host header of requests to that origin: the origin without its scheme.
std::string hostOf(std::string_view origin);
/// Returns true if a host is an IP address, `localhost` or empty, at any port: requests that name no service.
bool isBareAddress(std::string_view host) noexcept;

/// The web origins that may call with credentials: exact ones and patterns. In a pattern, `*` is one or more letters, digits and hyphens of
/// one label (`https://*.preview.example`). Immutable once filled.
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
