#include "catalog/NativeClient.h"

#include "web/Urls.h"

#include <algorithm>

namespace portico::identity
{

bool isLoopback(std::string_view origin)
{
    constexpr std::string_view scheme = "http://";
    if (!origin.starts_with(scheme)) return false;
    auto host = origin.substr(scheme.size());
    const auto port = host.rfind(':');
    if (port != std::string_view::npos && host.find(']', port) == std::string_view::npos) host = host.substr(0, port);
    return host == "127.0.0.1" || host == "[::1]" || host == "localhost" || host.ends_with(".localhost");
}

bool isNativeRedirect(std::string_view uri)
{
    const auto origin = originOf(uri);
    const auto visible = [](char c) { return c > 0x20 && c < 0x7f && c != '\\' && c != '#'; };
    if (origin.empty() || uri.size() > 2000 || !std::ranges::all_of(uri, visible)) return false;
    if (origin.find("//") != std::string::npos) return origin.starts_with("https://") || isLoopback(origin);
    return origin.find_first_of(".-") != std::string::npos && uri.substr(origin.size()).starts_with('/');
}

} // namespace portico::identity
