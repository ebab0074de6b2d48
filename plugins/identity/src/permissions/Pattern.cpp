#include "permissions/Pattern.h"

#include <optional>

namespace portico::identity
{

namespace
{
struct Parts
{
    std::string_view service, resource, action;
};

std::optional<Parts> split(std::string_view permission) noexcept
{
    const auto dot = permission.find('.');
    const auto colon = permission.find(':');
    if (dot == std::string_view::npos || colon == std::string_view::npos || colon < dot) return std::nullopt;
    return Parts{permission.substr(0, dot), permission.substr(dot + 1, colon - dot - 1), permission.substr(colon + 1)};
}
} // namespace

bool covers(std::string_view pattern, std::string_view permission) noexcept
{
    const auto wanted = split(pattern);
    const auto found = split(permission);
    return wanted && found && wanted->service == found->service && (wanted->resource == "*" || wanted->resource == found->resource) &&
           (wanted->action == "*" || wanted->action == found->action);
}

std::string_view serviceOf(std::string_view permission) noexcept
{
    const auto parts = split(permission);
    return parts ? parts->service : std::string_view();
}

} // namespace portico::identity
