#pragma once

#include "common/FailureCode.h"
#include "networks/Account.h"

#include "portico/Instant.h"
#include "portico/Schema.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::social
{

/// One call of a publication, with everything that a repetition needs to send the same bytes. Stored before the first attempt.
struct FixedStep
{
    /// `upload`, `post` and others of a network's own.
    std::string kind;
    /// The part of the thread that it belongs to, from 0.
    int part = 0;
    /// Bluesky's record key; empty where the network chooses the id.
    std::string recordKey;
    std::string idempotencyKey;
    /// JSON of a form that the network chose; ids of earlier steps are filled in when it is sent.
    std::string request;
    /// The file that an upload sends; empty: none.
    std::string blobKey;
};

constexpr auto schemaOf(const FixedStep*)
{
    return describe(members<&FixedStep::kind, &FixedStep::part, &FixedStep::recordKey, &FixedStep::idempotencyKey, &FixedStep::request,
                            &FixedStep::blobKey>());
}

/// Answer of a network to a successful step.
struct StepResult
{
    std::string id;
    std::string url;
    /// Further data for later steps, such as Bluesky's CID or the blob of an upload.
    std::string data;
};

constexpr auto schemaOf(const StepResult*) { return describe(members<&StepResult::id, &StepResult::url, &StepResult::data>()); }

/// Outcome of a step.
struct StepOutcome
{
    enum class Kind : std::uint8_t
    {
        Done,
        /// Try again; uses an attempt unless `notBefore` is set.
        Retry,
        /// No repetition can help.
        Failed,
        /// The access token was rejected: refresh it once, then the account must be reconnected.
        AuthRefused,
        /// The request was sent and no answer came.
        PerhapsSent
    };
    Kind kind = Kind::Done;
    StepResult result{};
    FailureCode code = FailureCode::Internal;
    /// For the user: plain words, without secrets. At most 500 characters.
    std::string message{};
    /// 0: there was no answer.
    int httpStatus = 0;
    std::string platformCode{};
    /// The time that the network asks to wait for (Retry-After, a reset header); such a wait uses no attempt.
    std::optional<Instant> notBefore{};
    /// SHA-256 of the request's body in hexadecimal; empty: nothing was sent.
    std::string requestDigest{};

    static StepOutcome done(StepResult result);
    static StepOutcome failed(FailureCode code, std::string_view message);
    static StepOutcome retry(FailureCode code, std::string_view message);
};

/// Result of looking up whether a step without an answer took effect.
struct LookUp
{
    enum class Kind : std::uint8_t
    {
        Found,
        Absent,
        /// The network could not be reached; not counted as a look-up.
        Unknown
    };
    Kind kind = Kind::Unknown;
    StepResult result{};
    std::string message{};
    std::optional<Instant> notBefore{};
};

/// How a network treats the same request twice.
enum class Repetition : std::uint8_t
{
    /// Repeating the key returns the same post, at any time.
    Always,
    /// Repeating the key is safe for `Network::repeatsFor` after the first attempt with an unknown outcome; afterwards the network is asked
    /// first.
    ForAWhile,
    /// A second request creates a second post: look the post up after every unknown outcome.
    Never
};

/// New tokens, or why there are none.
struct Refreshed
{
    enum class Kind : std::uint8_t
    {
        /// `credentials` replace the stored ones before they are used.
        New,
        /// The network does not use tokens that expire.
        NotNeeded,
        /// The grant was revoked or has expired: the account must be reconnected.
        Dead,
        /// The network could not be asked; the tokens stay.
        Unreachable
    };
    Kind kind = Kind::NotNeeded;
    Credentials credentials{};
    std::string message{};
};

} // namespace portico::social
