#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace portico::launchpad
{

/// The widget that an answer to `GET /api/widget` must be.
struct ExpectedWidget
{
    std::string serviceId;
    std::string widgetId;
    /// `organization` or `personal`; the ID belongs to an organization.
    std::string context;
    std::string organizationId;
};

struct WidgetPayload
{
    /// JSON text with the members of the contract, and no others. Empty if the answer is not one.
    std::string json;
    /// Names the first member that does not fit, for logs; empty if all fit.
    std::string fault;
};

/// Bytes of the largest answer.
inline constexpr std::size_t maxWidgetBytes = 64 * 1024;

/// Reads the answer of an app, which may contain anything. Unknown members are dropped; a member that violates a limit of the contract, a
/// link that leaves the app's origin, or another context makes the whole answer invalid.
WidgetPayload readWidget(std::string_view body, const ExpectedWidget& expected);

/// True for a path that stays on its origin when a browser resolves it.
bool isLocalLink(std::string_view href) noexcept;

} // namespace portico::launchpad
