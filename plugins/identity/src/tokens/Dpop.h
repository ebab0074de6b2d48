#pragma once

#include "portico/Clock.h"
#include "portico/StateStore.h"

#include <optional>
#include <string>
#include <string_view>

namespace portico::identity
{

/// Request for which a proof must be made.
struct DpopTarget
{
    std::string_view method;
    /// URL without query and fragment.
    std::string url;
    /// Access token of the request; empty at the token endpoint.
    std::string_view accessToken = {};
};

/// Verifies proofs of possession of a key (RFC 9449). Thread-safe.
class Dpop
{
public:
    enum class Verdict
    {
        Good,
        Bad,
        NonceNeeded
    };
    struct Result
    {
        Verdict verdict = Verdict::Bad;
        /// Thumbprint of the key.
        std::string jkt;
    };

    Dpop(StateStore& state, const Clock& clock) : _state(state), _clock(clock) {}

    /// Verifies a proof and uses it up: a `jti` is valid once for its key.
    /// @param nonceKey if set, the proof must contain a nonce derived from it
    Result check(std::string_view proof, const DpopTarget& target, std::string_view nonceKey = {}) const;
    /// Returns a nonce that is valid for some minutes. It is derived, not stored.
    std::string nonce(std::string_view nonceKey) const;

private:
    std::string nonceAt(std::int64_t window, std::string_view nonceKey) const;

    StateStore& _state;
    const Clock& _clock;
};

/// Algorithms for discovery and challenges.
inline constexpr std::string_view dpopAlgorithms = "ES256 RS256 PS256";

} // namespace portico::identity
