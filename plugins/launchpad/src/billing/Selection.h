#pragma once

#include "catalog/AppCatalog.h"
#include "plans/PriceList.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::launchpad
{

/// Rules of what can be bought, for checkouts and for changes of a plan.
namespace selection
{
/// Returns the apps of the platform that packages contain, by name. The catalog must outlive them.
std::vector<const App*> choices(const AppCatalog& apps);
/// Checks the apps of a package. @return the apps to store: none for `everything`
/// @throws Problem 400 `bundle_size_mismatch`, `not_bundle_eligible`, `enterprise_requires_contact`, `validation_failed` for a
/// duplicate
std::vector<std::string> requireApps(const AppCatalog& apps, Package package, const std::vector<std::string>& selected);
/// Returns the amount of one seat: the wanted one, or the minimum.
/// @throws Problem 400 `amount_below_minimum`; `validation_failed` if the package is not sold in that currency and interval
std::int64_t requireAmount(const PriceList& prices, Package package, BillingInterval interval, std::string_view currency,
                           std::optional<std::int64_t> wanted);
} // namespace selection

} // namespace portico::launchpad
