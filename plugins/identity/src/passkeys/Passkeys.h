#pragma once

#include "common/Core.h"
#include "common/OneTimeSecrets.h"
#include "passkeys/Passkey.h"
#include "users/User.h"

#include "portico/Request.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace portico::identity
{

/// A challenge and its purpose.
struct Ceremony
{
    std::string challengeId;
    std::string challenge;
};

/// A ceremony that an app has asked for at an origin where browsers refuse it.
struct CeremonyTicket
{
    /// User who creates a passkey; empty: one is used.
    std::string userId;
    /// Sign-in that has requested it, and must still be active.
    std::string sessionId;
    /// Name of the new passkey.
    std::string name;
    /// Origin of the app.
    std::string returnTo;
};

constexpr auto schemaOf(const CeremonyTicket*)
{
    return describe(members<&CeremonyTicket::userId, &CeremonyTicket::sessionId, &CeremonyTicket::name, &CeremonyTicket::returnTo>());
}

/// Passkey ceremonies for one relying party: challenges for one use within five minutes, and verification of the answers. User verification
/// is always required, so that a passkey counts as two factors. Thread-safe.
class Passkeys
{
public:
    explicit Passkeys(Core& core);

    const std::string& rpId() const noexcept { return _rpId; }

    CreationOptions creationOptions(const User& user, const Ceremony& ceremony) const;
    Ceremony begin() const;
    void expectCreation(const Ceremony& ceremony, const UserId& user, std::string_view name);
    /// @param identifier what the user has entered, or empty: any passkey of the device. Unknown accounts and accounts without passkeys get
    /// invented credentials, always the same for an identifier. Only passkeys of the named account can answer the challenge.
    RequestOptions beginUse(std::string_view identifier, const Ceremony& ceremony);

    /// Returns the address of identity's page for an origin outside of the relying party, with a ticket for one use within five minutes.
    /// Returns none for other origins.
    /// @param maker caller who creates a passkey; null: one is used
    std::optional<std::string> ceremonyUrl(const Request& request, const Caller* maker, std::string_view name);
    /// Returns the content of a ticket without consuming it; none if its sign-in has ended.
    std::optional<CeremonyTicket> look(const std::string& ticket) const;
    /// @throws Problem 410 `challenge_expired` if the sign-in that requested the ticket has ended
    void requireLive(Session& session, const CeremonyTicket& ticket) const;
    std::optional<CeremonyTicket> useTicket(const std::string& ticket);

    /// @throws Problem 409 `passkey_limit_reached`
    static void requireRoom(Session& session, const UserId& user);
    /// Adds the created passkey.
    /// @param require called in the transaction, after changes of the account; throws if the sign-in may no longer add a passkey
    /// @throws Problem 410 `challenge_expired`, 400 `attestation_rejected`, and like `requireRoom`, because several ceremonies may have
    /// begun below the limit
    Passkey finishCreation(const Request& request, const UserId& user, std::string_view challengeId, const Json& credential,
                           const std::function<void(Session&)>& require);

    /// Returns the owner of the passkey that has signed the challenge, and records counter and time. Returns none for other faults.
    /// @param challengeId empty: the one in the credential
    /// @throws Problem 410 `challenge_expired`
    std::optional<UserId> prove(const Request& request, std::string_view challengeId, const Json& credential);
    /// Does the same for a known user. Returns false for an expired challenge and for another user's passkey.
    bool confirms(const Request& request, const UserId& user, const Json& credential);

private:
    struct Expected;
    std::optional<CeremonyTicket> stillGood(std::optional<CeremonyTicket> ticket) const;
    /// Consumes the challenge of that ceremony if the answer matches it and comes from an allowed page.
    /// @throws Problem 410 `challenge_expired`
    std::optional<Expected> take(const Request& request, std::string_view type, std::string_view challengeId, const CredentialInput& input);
    bool isOurOrigin(std::string_view origin, const Request& request) const;
    std::vector<CredentialDescriptor> known(const UserId& user) const;
    std::vector<CredentialDescriptor> invented(std::string_view identifier) const;
    /// Records the use. Returns false if the counter indicates a copy of the key (7.2, step 21).
    bool noteUse(const Request& request, const Passkey& passkey, std::uint32_t signCount, bool backedUp);

    Core& _core;
    /// Secrets are the ids of challenges.
    OneTimeSecrets<Expected> _creations;
    OneTimeSecrets<Expected> _uses;
    OneTimeSecrets<CeremonyTicket> _tickets;
    std::string _rpId;
};

} // namespace portico::identity
