#pragma once

#include "content/Publications.h"

#include <cstddef>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace portico::social
{

/// Items that this host currently publishes, by network and brand. Thread-safe.
class RunningItems
{
public:
    /// Registers an item for its lifetime, unless another slot of this host publishes for the same account.
    class Place
    {
    public:
        Place(RunningItems& items, const DueItem& item);
        ~Place();
        /// Returns false if another slot uses the account.
        explicit operator bool() const noexcept { return _isTaken; }
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;

    private:
        RunningItems& _items;
        const std::string _account;
        const Platform _platform;
        const BrandId _brand;
        bool _isTaken = false;
    };

    /// Returns the due items in the order in which a free slot tries them: by time, but a network that has half of the slots and a brand
    /// that has a quarter come after the others. Leaves out accounts for which this host publishes now.
    std::vector<DueItem> inOrder(std::vector<DueItem> due, std::size_t slots) const;

private:
    mutable std::mutex _mutex;
    std::map<Platform, std::size_t> _platforms;
    std::map<BrandId, std::size_t> _brands;
    std::set<std::string> _accounts;
};

} // namespace portico::social
