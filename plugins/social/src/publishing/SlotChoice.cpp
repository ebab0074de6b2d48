#include "publishing/SlotChoice.h"

#include <algorithm>

namespace portico::social
{

namespace
{
/// An item without an account waits for itself only.
std::string accountOf(const DueItem& item) { return item.integrationId ? item.integrationId->text() : item.contentId.text(); }
} // namespace

RunningItems::Place::Place(RunningItems& items, const DueItem& item)
    : _items(items), _account(accountOf(item)), _platform(item.platform), _brand(item.brandId)
{
    const std::lock_guard lock(_items._mutex);
    _isTaken = _items._accounts.insert(_account).second;
    if (!_isTaken) return;
    ++_items._platforms[_platform];
    ++_items._brands[_brand];
}

RunningItems::Place::~Place()
{
    if (!_isTaken) return;
    const std::lock_guard lock(_items._mutex);
    _items._accounts.erase(_account);
    if (--_items._platforms[_platform] == 0) _items._platforms.erase(_platform);
    if (--_items._brands[_brand] == 0) _items._brands.erase(_brand);
}

std::vector<DueItem> RunningItems::inOrder(std::vector<DueItem> due, std::size_t slots) const
{
    const auto ofNetwork = std::max<std::size_t>(slots / 2, 1), ofBrand = std::max<std::size_t>(slots / 4, 1);
    std::ranges::stable_sort(due, {}, &DueItem::dueAt);
    const std::lock_guard lock(_mutex);
    std::erase_if(due, [&](const DueItem& item) { return _accounts.contains(accountOf(item)); });
    const auto within = [&](const DueItem& item)
    {
        const auto platform = _platforms.find(item.platform);
        const auto brand = _brands.find(item.brandId);
        return (platform == _platforms.end() || platform->second < ofNetwork) && (brand == _brands.end() || brand->second < ofBrand);
    };
    std::stable_partition(due.begin(), due.end(), within);
    return due;
}

} // namespace portico::social
