#include "portico/CrossOrigin.h"

#include <algorithm>
#include <mutex>
#include <set>

namespace portico
{

namespace
{

class StoredOrigins final : public OriginList
{
public:
    void assign(const std::vector<std::string>& origins) override
    {
        std::set<std::string, std::less<>> next;
        for (const auto& origin : origins) next.insert(normalOrigin(origin));
        const std::lock_guard lock(_mutex);
        _origins.swap(next);
    }
    void add(std::string_view origin) override
    {
        auto normal = normalOrigin(origin);
        const std::lock_guard lock(_mutex);
        _origins.insert(std::move(normal));
    }
    void remove(std::string_view origin) override
    {
        const auto normal = normalOrigin(origin);
        const std::lock_guard lock(_mutex);
        _origins.erase(normal);
    }
    bool contains(std::string_view origin) const noexcept override
    {
        const std::lock_guard lock(_mutex);
        return _origins.contains(origin);
    }

private:
    mutable std::mutex _mutex;
    std::set<std::string, std::less<>> _origins;
};

} // namespace

OriginList::~OriginList() = default;

std::shared_ptr<OriginList> OriginList::make(const std::vector<std::string>& origins)
{
    auto list = std::make_shared<StoredOrigins>();
    list->assign(origins);
    return list;
}

std::string normalOrigin(std::string_view origin)
{
    std::string normal(origin);
    std::transform(normal.begin(), normal.end(), normal.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
    if (normal.ends_with('/')) normal.pop_back();
    const bool defaultPort =
        (normal.starts_with("http://") && normal.ends_with(":80")) || (normal.starts_with("https://") && normal.ends_with(":443"));
    if (defaultPort) normal.resize(normal.rfind(':'));
    return normal;
}

} // namespace portico
