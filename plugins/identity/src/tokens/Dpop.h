#pragma once

#include "portico/Clock.h"
#include "portico/StateStore.h"

#include <optional>
#include <string>
#include <string_view>

namespace portico::identity
{

/// What a proof has to be for.
struct DpopTarget
{
    std::string_view method;
    /// Without query and fragment.
    std::string url;
    /// The token that it goes with; empty at the token endpoint.
    std::string_view accessToken = {};
};

/// Proofs that whoever sends a request holds a key (RFC 9449). Thread-safe.
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

    /// Checks one and spends it: a `jti` counts once for its key. @param nonceKey With a key one of our nonces has to be in it.
    Result check(std::string_view proof, const DpopTarget& target, std::string_view nonceKey = {}) const;
    /// A nonce that is good for some minutes; nothing is kept of it.
    std::string nonce(std::string_view nonceKey) const;

private:
    std::string nonceAt(std::int64_t window, std::string_view nonceKey) const;

    StateStore& _state;
    const Clock& _clock;
};

/// For discovery and challenges.
inline constexpr std::string_view dpopAlgorithms = "ES256 RS256 PS256";

} // namespace portico::identity
