#include "trends/SourceItem.h"

#include "portico/Crypto.h"
#include "portico/Text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace portico::social
{

namespace
{
constexpr std::array<std::string_view, 10> trackingParameters = {"fbclid", "gclid",  "dclid", "msclkid", "mc_cid",
                                                                 "mc_eid", "igshid", "igsh",  "yclid",   "_hsenc"};

bool isTracking(std::string_view parameter)
{
    const auto name = parameter.substr(0, parameter.find('='));
    return name.starts_with("utm_") || std::ranges::find(trackingParameters, name) != trackingParameters.end();
}

std::string withoutTracking(std::string_view url)
{
    url = url.substr(0, url.find('#'));
    const auto mark = url.find('?');
    const auto path = url.substr(0, mark);
    const auto hostEnd = std::min(path.find('/', path.find("://") == std::string_view::npos ? 0 : path.find("://") + 3), path.size());
    auto plain = foldCase(path.substr(0, hostEnd)) + std::string(path.substr(hostEnd));
    if (plain.ends_with('/')) plain.pop_back();
    char separator = '?';
    for (auto rest = mark == std::string_view::npos ? std::string_view() : url.substr(mark + 1); !rest.empty();)
    {
        const auto end = std::min(rest.find('&'), rest.size());
        if (const auto parameter = rest.substr(0, end); !parameter.empty() && !isTracking(parameter))
        {
            plain += separator;
            plain += parameter;
            separator = '&';
        }
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return plain;
}
} // namespace

double trendScore(const SourceMetrics& metrics, std::optional<Instant> publishedAt, Instant observedAt, Instant asOf)
{
    const auto since = std::min(publishedAt.value_or(observedAt), observedAt);
    const double ageHours = std::max(0.0, std::chrono::duration<double, std::ratio<3600>>(asOf - since).count());
    const auto reach = static_cast<double>(std::max<std::int64_t>(metrics.mentions, 0)) +
                       static_cast<double>(std::max<std::int64_t>(metrics.engagement, 0));
    const auto speed = static_cast<double>(std::max<std::int64_t>(metrics.velocity, 0));
    const double score =
        0.5 * std::exp2(-ageHours / 24) + 0.3 * std::min(1.0, std::log10(1 + reach) / 6) + 0.2 * std::min(1.0, speed / 100);
    return std::round(score * 10'000) / 10'000;
}

std::string dedupeKeyOf(std::string_view url, std::string_view title)
{
    return sha256({url.empty() ? "title:" : "url:", url.empty() ? fold(title) : withoutTracking(url)}).hex().substr(0, 40);
}

} // namespace portico::social
