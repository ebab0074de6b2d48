#pragma once

#include "portico/Schema.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace portico::launchpad
{

/// A bundle of platform apps. Apps of third parties and of customers never count toward it.
enum class Package : std::uint8_t
{
    Three,
    Five,
    Ten,
    Everything,
    /// Sold by contact only: without a price, and never in a checkout.
    Enterprise
};

constexpr auto schemaOf(const Package*)
{
    using enum Package;
    return portico::choices<Package>(
        {{"three", Three}, {"five", Five}, {"ten", Ten}, {"everything", Everything}, {"enterprise", Enterprise}});
}

/// The packages with a price, the smallest first.
inline constexpr Package pricedPackages[] = {Package::Three, Package::Five, Package::Ten, Package::Everything};

/// Returns the exact number of apps that a customer selects; empty for `everything` and `enterprise`.
constexpr std::optional<std::int64_t> appCountOf(Package package)
{
    switch (package)
    {
    case Package::Three:
        return 3;
    case Package::Five:
        return 5;
    case Package::Ten:
        return 10;
    default:
        return {};
    }
}

enum class BillingInterval : std::uint8_t
{
    Month,
    Year
};

constexpr auto schemaOf(const BillingInterval*)
{
    return portico::choices<BillingInterval>({{"month", BillingInterval::Month}, {"year", BillingInterval::Year}});
}

/// The verification subscription of a free workspace: one US dollar a year.
inline constexpr std::int64_t freeWorkspaceAmount = 100;
inline constexpr std::string_view freeWorkspaceCurrency = "USD";
inline constexpr BillingInterval freeWorkspaceInterval = BillingInterval::Year;

} // namespace portico::launchpad
