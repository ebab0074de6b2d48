#pragma once

#include <string_view>

namespace portico::identity
{

/// Whether `crm.contacts:read` is named by a permission or pattern (`crm.*:*`, `crm.contacts:*`, `crm.*:read`). The service is never a
/// pattern.
bool covers(std::string_view pattern, std::string_view permission) noexcept;

/// `crm` of `crm.contacts:read`; empty for text of another form.
std::string_view serviceOf(std::string_view permission) noexcept;

} // namespace portico::identity
