#include "plans/PriceList.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <stdexcept>
#include <system_error>

namespace portico::launchpad
{

namespace
{
constexpr std::string_view priceSetting = "launchpad.billing.prices";
constexpr std::size_t currencyLength = 3;
/// Maximum amount per seat that processors accept.
constexpr std::int64_t largestAmount = 99'999'999;

[[noreturn]] void notAPrice(std::string_view item, std::string_view problem)
{
    throw std::invalid_argument(std::string(priceSetting) + ": " + std::string(item) + " " + std::string(problem) +
                                "; write package/interval/CURRENCY=amount in minor units, for example five/month/USD=4900");
}

bool isCurrency(std::string_view text)
{
    return text.size() == currencyLength && std::ranges::all_of(text, [](char each) { return each >= 'A' && each <= 'Z'; });
}

PackagePrice priceOf(std::string_view item)
{
    const auto first = item.find('/'), second = item.find('/', first + 1), equals = item.find('=');
    if (first == std::string_view::npos || second == std::string_view::npos || equals == std::string_view::npos || equals < second)
        notAPrice(item, "is not a price");
    const auto package = parseEnum<Package>(item.substr(0, first));
    const auto interval = parseEnum<BillingInterval>(item.substr(first + 1, second - first - 1));
    const auto currency = item.substr(second + 1, equals - second - 1);
    const auto digits = item.substr(equals + 1);
    std::int64_t amount = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), amount);
    if (!package || *package == Package::Enterprise) notAPrice(item, "names no package with a price");
    if (!interval) notAPrice(item, "names no interval");
    if (!isCurrency(currency)) notAPrice(item, "has no currency of three capital letters");
    if (error != std::errc() || end != digits.data() + digits.size() || amount < 1 || amount > largestAmount)
        notAPrice(item, "has no amount from 1 to 99999999");
    return {*package, *interval, std::string(currency), amount};
}
} // namespace

PriceList::PriceList(const Config& config) : PriceList(config.list(priceSetting)) {}

PriceList::PriceList(const std::vector<std::string>& items)
{
    for (const auto& item : items)
    {
        auto price = priceOf(item);
        if (minimum(price.package, price.interval, price.currency)) notAPrice(item, "sets a price twice");
        _prices.push_back(std::move(price));
    }
}

std::optional<std::int64_t> PriceList::minimum(Package package, BillingInterval interval, std::string_view currency) const
{
    for (const auto& each : _prices)
        if (each.package == package && each.interval == interval && each.currency == currency) return each.amount;
    return {};
}

const PackagePrice* PriceList::shown(Package package, BillingInterval interval) const
{
    const auto found =
        std::ranges::find_if(_prices, [&](const PackagePrice& each) { return each.package == package && each.interval == interval; });
    return found == _prices.end() ? nullptr : &*found;
}

std::vector<PackagePrice> PriceList::of(Package package) const
{
    std::vector<PackagePrice> found;
    std::ranges::copy_if(_prices, std::back_inserter(found), [&](const PackagePrice& each) { return each.package == package; });
    return found;
}

bool PriceList::sellsIn(std::string_view currency) const
{
    return std::ranges::any_of(_prices, [&](const PackagePrice& each) { return each.currency == currency; });
}

} // namespace portico::launchpad
