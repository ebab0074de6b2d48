#pragma once

#include "portico/Json.h"
#include "portico/Schema.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// Button with a link.
struct CallToAction
{
    std::string label;
    std::string href;
};

constexpr auto schemaOf(const CallToAction*)
{
    return describe(field<&CallToAction::label>().required().maxLength(120), field<&CallToAction::href>().required().maxLength(2000));
}

/// Content of a service's public page.
struct LandingConfig
{
    std::string serviceId;
    std::string headline;
    std::string sub;
    std::optional<std::string> heroImageUrl;
    std::vector<CallToAction> ctas;
    std::vector<Json> sections;
    std::optional<std::string> theme;
    std::optional<std::string> locale;
    std::optional<Instant> updatedAt;
    std::int64_t version = 0;
};

constexpr auto schemaOf(const LandingConfig*)
{
    return describe(field<&LandingConfig::serviceId>("service_id").readOnly(), field<&LandingConfig::headline>().maxLength(200),
                    field<&LandingConfig::sub>().maxLength(500), field<&LandingConfig::heroImageUrl>().maxLength(2000),
                    field<&LandingConfig::ctas>().maxItems(10), field<&LandingConfig::sections>().maxItems(50),
                    field<&LandingConfig::theme>().maxLength(40), field<&LandingConfig::locale>().maxLength(40),
                    field<&LandingConfig::updatedAt>().readOnly(), field<&LandingConfig::version>().readOnly());
}

namespace landing
{
/// Returns true for an http or https address, or a path of the page's origin: nothing that runs when clicked.
bool isSafeUrl(std::string_view url) noexcept;
/// Returns true if any string in a well-formed JSON text begins like a script or data URL.
bool hasRunningText(std::string_view json);
/// @throws Problem 400 `unsafe_url` with the places: addresses, and strings in the sections that begin like a script or data URL
void requireSafe(const LandingConfig& config);
} // namespace landing

} // namespace portico::identity
