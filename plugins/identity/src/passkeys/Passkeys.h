#pragma once

#include "common/OneTimeSecrets.h"
#include "passkeys/Passkey.h"
#include "sessions/Cookies.h"
#include "users/User.h"

#include "portico/Request.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace portico::identity
{

/// A challenge and what it was given out for.
struct Ceremony
{
    std::string challengeId;
    std::string challenge;
};

/// A ceremony that an app has asked for at an origin where browsers refuse it.
struct CeremonyTicket
{
    /// Who makes a passkey; empty: one is used.
    std::string userId;
    /// The sign-in that has asked for it, and has to live on.
    std::string sessionId;
    /// Of the new passkey.
    std::string name;
    /// Origin of the app.
    std::string returnTo;
};

constexpr auto schemaOf(const CeremonyTicket*)
{
    return describe(members<&CeremonyTicket::userId, &CeremonyTicket::sessionId, &CeremonyTicket::name, &CeremonyTicket::returnTo>());
}

/// The ceremonies of passkeys for one relying party: challenges that are good once, for five minutes, and what authenticators answer to
/// them. User verification is always demanded, so that a passkey is two factors at once. Thread-safe.
class Passkeys
{
public:
    explicit Passkeys(Core& core);

    const std::string& rpId() const noexcept { return _rpId; }

    CreationOptions creationOptions(const User& user, const Ceremony& ceremony) const;
    Ceremony begin() const;
    void expectCreation(const Ceremony& ceremony, const UserId& user, std::string_view name);
    /// @param identifier what somebody typed, or empty: any passkey that the device has for us. Accounts that do not exist, or have no
    /// passkey, get invented ones, always the same for one identifier; no other passkey than that account's answers the challenge.
    RequestOptions beginUse(std::string_view identifier, const Ceremony& ceremony);

    /// Identity's own page for an origin outside the relying party, with a ticket that is good once, for five minutes; empty within.
    /// @param maker whose passkey is to be made; null: one is to be used
    std::optional<std::string> ceremonyUrl(const Request& request, const Caller* maker, std::string_view name);
    /// What a ticket stands for, unless the sign-in that asked has ended; it stays.
    std::optional<CeremonyTicket> look(const std::string& ticket) const;
    /// @throws Problem 410 `challenge_expired` when the sign-in that asked for the ticket has ended
    void requireLive(Session& session, const CeremonyTicket& ticket) const;
    std::optional<CeremonyTicket> useTicket(const std::string& ticket);

    /// @throws Problem 409 `passkey_limit_reached`
    static void requireRoom(Session& session, const UserId& user);
    /// Adds what was made. @throws Problem 410 `challenge_expired`, 400 `attestation_rejected`, and as `requireRoom`: many ceremonies may
    /// have begun while there was room. @param require Called in the transaction, after changes of the account: throws when the sign-in
    /// that asked may not add a passkey any more
    Passkey finishCreation(const Request& request, const UserId& user, std::string_view challengeId, const Json& credential,
                           const std::function<void(Session&)>& require);

    /// Whose passkey it is that signed the challenge; its counter and time are noted.
    /// @param challengeId empty: the one that the credential speaks of
    /// @throws Problem 410 `challenge_expired`; empty for everything else that is wrong
    std::optional<UserId> prove(const Request& request, std::string_view challengeId, const Json& credential);
    /// The same for somebody who is known: also empty for an ended challenge and for another's passkey.
    bool confirms(const Request& request, const UserId& user, const Json& credential);

private:
    struct Expected;
    std::optional<CeremonyTicket> stillGood(std::optional<CeremonyTicket> ticket) const;
    /// The challenge of that ceremony, if this is what was answered, from a page that may: taken, so that it is good once.
    /// @throws Problem 410 `challenge_expired`
    std::optional<Expected> take(const Request& request, std::string_view type, std::string_view challengeId, const CredentialInput& input);
    bool isOurOrigin(std::string_view origin, const Request& request) const;
    std::vector<CredentialDescriptor> known(const UserId& user) const;
    std::vector<CredentialDescriptor> invented(std::string_view identifier) const;
    /// Notes the use; false where the counter says that somebody has a copy (7.2, step 21).
    bool noteUse(const Request& request, const Passkey& passkey, std::uint32_t signCount, bool backedUp);

    Core& _core;
    Cookies _cookies;
    /// The secrets are the ids of challenges.
    OneTimeSecrets<Expected> _creations;
    OneTimeSecrets<Expected> _uses;
    OneTimeSecrets<CeremonyTicket> _tickets;
    std::string _rpId;
};

} // namespace portico::identity
