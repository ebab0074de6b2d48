#include "host/routing/pages/PagePolicy.h"

#include <initializer_list>
#include <utility>

namespace portico::host::routing
{

namespace
{

using Sources = std::vector<std::string>;

constexpr std::string_view fixedDirectives = "; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; "
                                             "require-trusted-types-for 'script'; trusted-types 'none'";

/// Only what pages use: passkeys, and the clipboard, which a page writes to.
constexpr std::string_view permissions =
    "publickey-credentials-get=(self), publickey-credentials-create=(self), clipboard-write=(self), fullscreen=(self), accelerometer=(), "
    "autoplay=(), camera=(), clipboard-read=(), display-capture=(), encrypted-media=(), geolocation=(), gyroscope=(), "
    "hid=(), "
    "idle-detection=(), magnetometer=(), microphone=(), midi=(), payment=(), picture-in-picture=(), screen-wake-lock=(), serial=(), "
    "usb=(), xr-spatial-tracking=()";

} // namespace

std::string pagePolicy(const plugins::ManifestPages& pages, std::string_view authOrigin, const PageSettings& settings)
{
    const std::string self = "'self'";
    std::pair<std::string_view, Sources> directives[] = {
        {"script-src", {self}},
        {"style-src", {self}},
        {"img-src", {self, "data:", "blob:"}},
        {"font-src", {self}},
        {"connect-src", {self}},
        {"manifest-src", {self}},
        {"frame-src", authOrigin.empty() ? Sources{self} : Sources{self, "{auth_url}"}},
    };
    std::string policy = "default-src 'none'";
    for (auto& [name, sources] : directives)
    {
        if (const auto narrowed = pages.policy.find(name); narrowed != pages.policy.end())
            std::erase_if(sources, [&](const auto& source)
                          { return std::find(narrowed->second.begin(), narrowed->second.end(), source) == narrowed->second.end(); });
        if (name == "connect-src" || name == "img-src") sources.insert(sources.end(), settings.origins.begin(), settings.origins.end());
        policy.append("; ").append(name);
        if (sources.empty()) policy += " 'none'";
        for (const auto& source : sources) policy.append(" ").append(source == "{auth_url}" ? authOrigin : std::string_view(source));
    }
    return policy.append(fixedDirectives);
}

void addPageHeaders(const std::string& policy, Response& response)
{
    response.addHeader("Content-Security-Policy", policy);
    response.addHeader("Cross-Origin-Opener-Policy", "same-origin");
    response.addHeader("Cross-Origin-Resource-Policy", "same-origin");
    response.addHeader("Permissions-Policy", permissions);
}

} // namespace portico::host::routing
