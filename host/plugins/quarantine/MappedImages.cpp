#include "host/plugins/quarantine/MappedImages.h"

#include <atomic>
#include <cstring>
#include <utility>

namespace portico::host::plugins
{

namespace
{

struct Entry
{
    /// Cleared while the rest is written.
    std::atomic<bool> valid{false};
    MappedImages::Image image;
};

constinit std::array<Entry, MappedImages::capacity> entries;

bool isValid(const Entry& entry) noexcept { return entry.valid.load(std::memory_order_acquire); }

} // namespace

MappedImages::Slot MappedImages::noteMapped(const PluginTag& tag, AddressRange range) noexcept
{
    Slot chosen = capacity;
    for (Slot slot = 0; slot < capacity; ++slot)
    {
        const auto& entry = entries[slot];
        if (!isValid(entry))
        {
            chosen = slot;
            break;
        }
        if (entry.image.unmappedAt == 0) continue;
        if (chosen == capacity || entry.image.unmappedAt < entries[chosen].image.unmappedAt) chosen = slot;
    }
    if (chosen == capacity) return chosen;
    auto& entry = entries[chosen];
    entry.valid.store(false);
    entry.image = {.tag = tag, .range = range};
    entry.valid.store(true, std::memory_order_release);
    return chosen;
}

void MappedImages::noteUnmapped(Slot slot, std::int64_t nowMillis) noexcept
{
    if (slot >= capacity) return;
    auto& entry = entries[slot];
    entry.valid.store(false);
    entry.image.unmappedAt = nowMillis;
    entry.valid.store(true, std::memory_order_release);
}

const MappedImages::Image* MappedImages::find(std::uintptr_t address) noexcept
{
    const Image* found = nullptr;
    for (const auto& entry : entries)
    {
        if (!isValid(entry) || !entry.image.range.holds(address)) continue;
        if (entry.image.unmappedAt == 0) return &entry.image;
        if (!found || entry.image.unmappedAt > found->unmappedAt) found = &entry.image;
    }
    return found;
}

const MappedImages::Image* MappedImages::of(const PluginTag& tag) noexcept
{
    for (const auto& entry : entries)
        if (isValid(entry) && entry.image.unmappedAt == 0 && entry.image.tag.generation == tag.generation &&
            std::strcmp(entry.image.tag.serviceId.data(), tag.serviceId.data()) == 0)
            return &entry.image;
    return nullptr;
}

std::array<const MappedImages::Image*, MappedImages::lately> MappedImages::unmappedLately() noexcept
{
    std::array<const Image*, lately> last{};
    for (const auto& entry : entries)
    {
        if (!isValid(entry) || entry.image.unmappedAt == 0) continue;
        const Image* image = &entry.image;
        for (auto& place : last)
            if (image && (!place || image->unmappedAt > place->unmappedAt)) std::swap(place, image);
    }
    return last;
}

} // namespace portico::host::plugins
