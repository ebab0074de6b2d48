#pragma once

#include "portico/Plugin.h"
#include "portico/Request.h"
#include "portico/Schema.h"

#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace portico::launchpad
{

/// Member `humanVerification` of a body: a solved challenge of `GET /api/auth/human-verification`.
struct HumanProof
{
    /// `pow` or `turnstile`, as the challenge says.
    std::string provider;
    std::string payload;
};

constexpr auto schemaOf(const HumanProof*)
{
    return describe(field<&HumanProof::provider>().required().maxLength(20), field<&HumanProof::payload>().required().maxLength(4096));
}

/// Checks proofs that a visitor is human, through identity, which uses them up. Thread-safe.
class HumanChecks
{
public:
    explicit HumanChecks(PluginContext& context) : _context(context) {}

    /// @param purpose `waitlist`, `demo` or `free_workspace`
    /// @throws Problem 428 `human_verification_required`, 400 `human_verification_failed`, 409 `challenge_replayed`, 503
    /// `validation_unavailable` while identity cannot be reached
    void require(const Request& request, std::string_view purpose, const std::optional<HumanProof>& proof) const;
    /// Returns the site key for the provider's widget; empty if browsers solve challenges of this installation. Reads it from identity at
    /// most once a minute.
    std::string siteKey(const Request& request) const;

private:
    PluginContext& _context;
    mutable std::mutex _mutex;
    mutable std::string _siteKey;
    mutable Instant _askAgainAt{};
};

} // namespace portico::launchpad
