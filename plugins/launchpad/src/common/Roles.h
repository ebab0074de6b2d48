#pragma once

#include <string_view>

namespace portico::launchpad
{

/// Returns the rank of a role of an organization, as identity defines it; 0 for any other text.
constexpr int rankOf(std::string_view role)
{
    if (role == "owner") return 80;
    if (role == "super_admin") return 70;
    if (role == "admin") return 60;
    if (role == "member") return 40;
    return role == "guest" ? 20 : 0;
}

inline bool isRole(std::string_view text) { return rankOf(text) > 0; }

} // namespace portico::launchpad
