#pragma once

#include "common/OneTimeSecrets.h"
#include "signin/SignInFlow.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace portico::identity
{

/// Why a code starts no sign-in.
enum class CodeRejected : std::uint8_t
{
    Unknown,
    Expired,
    Used,
    SourceEnded ///< the user, the session of the browser or the sign-in that the grant comes from is no longer active
};

/// Redeems one-time codes for sign-ins: SSO codes, authorization codes and device codes. A code starts one sign-in. Presented again, it
/// ends that sign-in (RFC 6749, 4.1.2), also after the code has expired. Unused codes are in the StateStore; a used code is a row for a
/// day. Both contain a hash of the code only. Thread-safe.
class CodeRedemption
{
public:
    static constexpr std::string_view sso = "sso-code";
    static constexpr std::string_view oauth = "oauth-code";

    /// @param use `sso` or `oauth`
    CodeRedemption(Core& core, SignInFlow& flow, std::string_view use) : _core(core), _flow(flow), _unused(core.state, use) {}

    /// The caller who presents a code.
    struct Presenter
    {
        Client client;
        /// Hash of what was presented. The same presenter may repeat its request for ten seconds without ending the sign-in. Empty: it may
        /// not.
        std::string mark = {};
        /// Service of the audit entry about a reused code; empty: that of the sign-in.
        std::string serviceId = {};
    };
    /// The user of the sign-in, and the session of the browser that the grant comes from, if any.
    struct Source
    {
        User user;
        std::optional<BrowserSession> browser;
    };
    struct Redeemed
    {
        SignInGrant grant;
        SignedIn signedIn;
    };
    struct Unused
    {
        SignInGrant grant;
        Instant expiresAt{};
        bool expired = false;
    };
    /// Checks a grant against what was presented. Throws what the caller answers.
    using Verify = std::function<void(const SignInGrant&)>;
    using Assemble = std::function<SignInRequest(const SignInGrant&, const Source&)>;

    std::string issue(const SignInGrant& grant, std::chrono::seconds life) const;
    /// Returns the grant of a code that is unused and has not expired. The code stays valid.
    std::optional<Unused> find(std::string_view code) const;

    /// Starts the sign-in of a code: checks that it is known and has not expired, verifies the grant, checks that its source is still
    /// active, and marks the code as used in the transaction of the sign-in.
    /// @throws CodeRejected, what `verify` and `assemble` throw, and Problem as `SignInService::start`
    Redeemed redeem(std::string_view code, const Presenter& presenter, const Verify& verify, const Assemble& assemble);
    /// The same for a device code, which `DeviceRequests` stores and verifies. A device that polls twice ends nothing.
    Redeemed redeemPolled(std::string_view code, const SignInGrant& grant, const Assemble& assemble);

    /// Deletes rows of codes that were used more than a day ago.
    static void sweep(Transaction& transaction, Instant now);

private:
    std::optional<Unused> look(std::string_view code) const;
    /// Empty: another request has used the code in the meantime.
    std::optional<SignedIn> start(std::string_view code, std::string_view mark, const SignInGrant& grant, const Assemble& assemble);
    [[noreturn]] void rejectUsed(std::string_view code, const Presenter& presenter);

    Core& _core;
    SignInFlow& _flow;
    OneTimeSecrets<std::string> _unused;
};

} // namespace portico::identity
