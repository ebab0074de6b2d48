#pragma once

#include "portico/Clock.h"
#include "portico/Schema.h"
#include "portico/StateStore.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace portico::identity
{

/// Challenge of ALTCHA's version 2. The solution is the counter (32 bits, big-endian) for which PBKDF2 of nonce and counter begins with the
/// prefix.
struct PowChallenge
{
    std::string algorithm;
    /// Hexadecimal, like `salt` and `keyPrefix`.
    std::string nonce;
    std::string salt;
    /// Iterations.
    std::int64_t cost = 0;
    /// Bytes.
    std::int64_t keyLength = 0;
    std::string keyPrefix;
    /// Seconds since 1970.
    std::int64_t expiresAt = 0;
};

constexpr auto schemaOf(const PowChallenge*)
{
    return describe(members<&PowChallenge::algorithm, &PowChallenge::nonce, &PowChallenge::salt, &PowChallenge::cost,
                            &PowChallenge::keyLength, &PowChallenge::keyPrefix, &PowChallenge::expiresAt>());
}

struct SignedChallenge
{
    PowChallenge parameters;
    std::string signature;
};

constexpr auto schemaOf(const SignedChallenge*)
{
    return describe(field<&SignedChallenge::parameters>().required(), field<&SignedChallenge::signature>().required());
}

/// The built-in provider: work that a browser does in about a second, and a flood of requests cannot pay for. Nothing is kept of a
/// challenge until it is solved: the signature says that it is ours and what for. The key that signs lives in the StateStore, an hour each,
/// and with it what has been used: after a restart in memory mode challenges of before are as if expired. Thread-safe.
class ProofOfWork
{
public:
    /// @param cost iterations of one try; about 256 are needed. @param life of a challenge
    ProofOfWork(StateStore& state, const Clock& clock, std::int64_t cost, std::chrono::seconds life)
        : _state(state), _clock(clock), _cost(cost), _life(life)
    {
    }

    SignedChallenge challenge(std::string_view purpose);
    /// @param payload base64 text that the widget posts: the challenge, its signature and the solution
    /// @throws Problem 400 `human_verification_failed`, 409 `challenge_replayed`
    void require(std::string_view purpose, std::string_view payload);

private:
    std::string sign(std::string_view purpose, const PowChallenge& challenge);
    /// The key of the hour in which a challenge expires.
    std::string keyOf(const PowChallenge& challenge);

    StateStore& _state;
    const Clock& _clock;
    const std::int64_t _cost;
    const std::chrono::seconds _life;
};

} // namespace portico::identity
