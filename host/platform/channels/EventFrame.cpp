#include "host/platform/channels/EventFrame.h"

#include <stdexcept>

namespace portico::host::platform
{

std::string eventFrame(std::string_view id, std::string_view type, std::string_view data)
{
    if (type.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos)
        throw std::invalid_argument("the type of an event is one line");
    std::string out;
    out.reserve(id.size() + type.size() + data.size() + 32);
    out.append("id: ").append(id).append("\n");
    if (!type.empty()) out.append("event: ").append(type).append("\n");
    while (true)
    {
        const auto end = data.find_first_of("\r\n");
        out.append("data: ").append(data.substr(0, end)).append("\n");
        if (end == std::string_view::npos) break;
        data.remove_prefix(end + (data.substr(end).starts_with("\r\n") ? 2 : 1));
    }
    out += '\n';
    return out;
}

} // namespace portico::host::platform
