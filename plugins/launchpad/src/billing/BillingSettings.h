#pragma once

#include "portico/Config.h"
#include "portico/Schema.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace portico::launchpad
{

enum class ProcessorKind : std::uint8_t
{
    /// Nothing is sold: every app is included.
    None,
    /// An operator marks checkouts as paid.
    Manual,
    Stripe
};

constexpr auto schemaOf(const ProcessorKind*)
{
    using enum ProcessorKind;
    return portico::choices<ProcessorKind>({{"none", None}, {"manual", Manual}, {"stripe", Stripe}});
}

/// Settings `launchpad.billing.*` without the prices. A value.
struct BillingSettings
{
    /// @throws std::invalid_argument for `stripe` without a secret key or a webhook secret
    explicit BillingSettings(const Config& config);

    bool sells() const noexcept { return processor != ProcessorKind::None; }
    /// Returns true if payments move no money: the secret key is one of the processor's test mode.
    bool testMode() const noexcept
    {
        return processor == ProcessorKind::Stripe && (secretKey.starts_with("sk_test_") || secretKey.starts_with("rk_test_"));
    }

    ProcessorKind processor = ProcessorKind::None;
    /// True if plans open and suspend apps, and limit seats.
    bool enforce = false;
    /// Base URL of the processor's API, without a slash at its end.
    std::string url;
    std::string secretKey;
    /// One or two secrets, both valid during a rotation.
    std::vector<std::string> webhookSecrets;
};

} // namespace portico::launchpad
