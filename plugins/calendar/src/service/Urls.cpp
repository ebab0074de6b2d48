#include "service/Urls.h"

#include <algorithm>

namespace portico::calendar
{

std::string originOf(std::string_view url)
{
    const auto slashes = url.find("://");
    if (slashes == std::string_view::npos) return {};
    return std::string(url.substr(0, std::min(url.find_first_of("/?#", slashes + 3), url.size())));
}

} // namespace portico::calendar
