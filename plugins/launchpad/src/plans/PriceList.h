#pragma once

#include "plans/Package.h"

#include "portico/Config.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::launchpad
{

/// The minimum price of one seat of a package for one interval.
struct PackagePrice
{
    Package package = Package::Three;
    BillingInterval interval = BillingInterval::Month;
    /// ISO 4217, upper case.
    std::string currency;
    /// Minor units of the currency, at least 1.
    std::int64_t amount = 0;
};

/// Setting `launchpad.billing.prices`: the minimum price of each package, interval and currency. Immutable, so threads may share it.
class PriceList
{
public:
    /// @throws std::invalid_argument for an item that is not `package/interval/CURRENCY=amount`, or a price that is set twice: the message
    /// names the item and the form
    explicit PriceList(const Config& config);
    /// @param items `five/month/USD=4900` each
    explicit PriceList(const std::vector<std::string>& items);

    /// Returns the minimum amount of one seat; empty if the package is not sold at that interval in that currency.
    /// @param currency ISO 4217, upper case
    std::optional<std::int64_t> minimum(Package package, BillingInterval interval, std::string_view currency) const;
    /// Returns the first price of a package at an interval: the one that pages show. Null if it has none.
    const PackagePrice* shown(Package package, BillingInterval interval) const;
    /// Returns the prices of a package, in the order of the setting.
    std::vector<PackagePrice> of(Package package) const;
    /// Returns true if any package has a price in the currency.
    bool sellsIn(std::string_view currency) const;
    /// In the order of the setting.
    const std::vector<PackagePrice>& all() const noexcept { return _prices; }

private:
    std::vector<PackagePrice> _prices;
};

} // namespace portico::launchpad
