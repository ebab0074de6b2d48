#pragma once

#include "common/Platform.h"
#include "networks/Account.h"
#include "networks/Limits.h"
#include "networks/PostNumbers.h"
#include "networks/Publication.h"
#include "networks/Steps.h"

#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace portico::social
{

/// How an account is connected.
enum class ConnectKind : std::uint8_t
{
    /// The connector is not built.
    None,
    /// A URL that receives posts.
    Url,
    /// An identifier and an app password.
    AppPassword,
    /// The OAuth 2 code flow.
    CodeFlow
};

/// Why a network is not ready or only for trials, for the readiness answer (2.A.7).
struct ReadinessReason
{
    std::string code;
    std::string message;
    /// The setting that an operator has to change; empty: none.
    std::string setting;
};

/// Request to connect an account (2.A.5).
struct ConnectRequest
{
    std::string instanceUrl{};
    std::string identifier{};
    std::string appPassword{};
    std::string url{};
    std::string secret{};
    /// Address to which the network redirects the browser.
    std::string redirectUri{};
    /// Chosen by the caller of the network; comes back with the code.
    std::string state{};
};

/// Result of `Network::connect`: an account, or an address for the browser.
struct ConnectStart
{
    std::optional<AccountProfile> account;
    std::string authorizationUrl;
    /// Input of `Network::finish`: verifier, instance, client. Sealed or kept on the server; never sent to a browser.
    std::string keep;
};

/// Parameters with which a network sends the browser back.
struct ConnectReturn
{
    std::string_view code;
    /// `iss` (RFC 9207); empty: the network does not say.
    std::string_view issuer;
    std::string_view redirectUri;
};

/// Why an account could not be connected or checked. `code` and `message` go to the user.
class ConnectFault final : public std::exception
{
public:
    enum class Kind : std::uint8_t
    {
        /// A value of the request is wrong; `field` names it.
        BadInput,
        /// The network refused the password, code or token.
        Refused,
        /// The network could not be reached or did not answer properly.
        Unreachable
    };
    ConnectFault(Kind why, std::string inField, std::string withCode, std::string_view words)
        : kind(why), field(std::move(inField)), code(std::move(withCode)), _words(words)
    {
    }
    const char* what() const noexcept override { return _words.c_str(); }

    const Kind kind;
    const std::string field;
    const std::string code;

private:
    std::string _words;
};

/// How much an account may send within a window (2.A.11).
struct NetworkBudget
{
    /// Identifies network and window, without a colon: `bluesky-hour`.
    std::string_view name;
    std::int64_t limit = 0;
    std::chrono::seconds window{0};
    /// Cost of one post.
    std::int64_t cost = 1;
};

/// Arguments of a step. References are valid during the call.
struct StepCall
{
    const FixedStep& step;
    /// Results of the steps before this one, in their order.
    std::span<const StepResult> earlier;
    std::span<const FixedStep> earlierSteps;
    const NetworkAccount& account;
    /// When the step was first attempted. For a look-up: when the step was sent with an unknown outcome; it may have been repeated since.
    Instant firstAttemptAt{};
    Instant now{};
    /// Asks to end: passed on to calls that take longer than `Network::longestCall`.
    std::stop_token stop{};
};

/// One network. Implementations store no state of a publication; the steps contain all of it. Functions that call the network block for at
/// most `longestCall`, an upload for at most `longestUpload`. Thread-safe.
class Network
{
public:
    static constexpr std::chrono::seconds longestCall{40};
    static constexpr std::chrono::minutes longestUpload{15};

    virtual ~Network();

    virtual Platform platform() const noexcept = 0;
    virtual ConnectKind connectKind() const noexcept = 0;
    /// Limits of the network, or of the account's own server.
    virtual NetworkLimits limits(const Credentials* account = nullptr) const = 0;
    /// Budgets of one account that are known beforehand; answers may ask for more patience.
    virtual std::vector<NetworkBudget> budgets() const { return {}; }
    /// Settings without which no account can be connected. Any reason here means `setup-required`.
    virtual std::vector<ReadinessReason> missing() const { return {}; }
    /// Why the network is for trials only. Any reason here means `sandbox-only`. The last self-test is the caller's to judge.
    virtual std::vector<ReadinessReason> trialReasons() const { return {}; }

    /// Starts to connect an account. A network with password accounts may also return an address for the browser. @throws ConnectFault
    virtual ConnectStart connect(const ConnectRequest& request);
    /// Ends the code flow with the code from the browser. @throws ConnectFault
    virtual AccountProfile finish(std::string_view keep, const ConnectReturn& back);
    /// Self-test: reads the account from the network. @throws ConnectFault Refused only if the grant was revoked or the token was
    /// rejected
    virtual AccountProfile check(const NetworkAccount& account) = 0;
    /// Renews the tokens. A network error is `Unreachable`, never `Dead`. An answer without a refresh token keeps the stored one.
    virtual Refreshed refresh(const NetworkAccount& account);
    /// Ends the grant at the network. Errors are ignored: the account is removed here in any case.
    virtual void revoke(const NetworkAccount& account) noexcept;

    /// Finds what does not fit the network, without calling it.
    virtual std::vector<PublicationFault> faults(const Publication& publication, const Credentials* account) const;
    /// Shows the publication as it will be sent, without calling the network.
    virtual PublicationPreview preview(const Publication& publication, const Credentials* account) const;
    /// Determines the steps of a publication without faults. May read from the network (a mentioned account), but changes nothing there.
    virtual std::vector<FixedStep> prepare(const Publication& publication, const NetworkAccount& account, Instant now) = 0;
    /// Carries out one step. Throws nothing that a network can cause.
    virtual StepOutcome perform(const StepCall& call) = 0;

    virtual Repetition repetition() const noexcept = 0;
    /// For `Repetition::ForAWhile`.
    virtual std::chrono::seconds repeatsFor() const noexcept { return std::chrono::seconds(0); }
    /// Returns whether the receiver recognizes an edited post as a revision of the post that it may already have.
    virtual bool recognizesRevisions() const noexcept { return false; }
    /// Asks whether a step took effect. Called for every kind of repetition if the item was edited after the step was sent, except where
    /// the receiver recognizes revisions.
    virtual LookUp lookUp(const StepCall& call);
    /// Returns whether the network lets applications delete posts.
    virtual bool canRemove() const noexcept { return false; }
    /// Deletes a published post at the network. Succeeds if it no longer exists.
    virtual StepOutcome remove(const NetworkAccount& account, const StepResult& published);
    /// Asks how often a post was liked, repeated and answered. Empty: the network could not be asked.
    virtual std::optional<PostNumbers> numbers(const NetworkAccount& account, const StepResult& published);
};

} // namespace portico::social
