#include "host/platform/events/ChangePublisher.h"

#include "portico/Changes.h"

#include <boost/json.hpp>

#include <algorithm>

namespace portico::host::platform
{

namespace
{

/// A prefix, `_`, and a ULID in lower case.
bool isId(const boost::json::value& value)
{
    constexpr std::size_t ulid = 26;
    if (!value.is_string()) return false;
    const std::string_view text = value.get_string();
    const auto split = text.find('_');
    if (split == 0 || split == std::string_view::npos || text.size() - split - 1 != ulid) return false;
    const auto isLower = [](char c) { return c >= 'a' && c <= 'z'; };
    return std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(split), isLower) &&
           std::all_of(text.end() - ulid, text.end(), [&](char c) { return isLower(c) || (c >= '0' && c <= '9'); });
}

bool isIds(const boost::json::value& value)
{
    return value.is_array() && std::all_of(value.get_array().begin(), value.get_array().end(), isId);
}

} // namespace

std::string idsOf(const Event& event)
{
    const auto data = boost::json::parse(event.data);
    boost::json::object ids;
    for (const auto& member : data.as_object())
    {
        const std::string_view name = member.key();
        if ((name.ends_with("Id") && name != "organizationId" && isId(member.value())) || (name.ends_with("Ids") && isIds(member.value())))
            ids.insert(member);
    }
    auto text = boost::json::serialize(ids);
    // Without ids, clients reload the data of the event's type.
    return text.size() + event.type.size() <= Channels::maxEventBytes ? text : "{}";
}

void publishChange(Channels& channels, const Event& event)
{
    if (event.organizationId.empty()) return;
    channels.publish(Channel(Tenant::fromStored(event.organizationId), Changes::channel), event.type, idsOf(event));
}

} // namespace portico::host::platform
