#include "passkeys/Passkeys.h"

#include "audit/Audit.h"
#include "passkeys/Webauthn.h"
#include "sessions/Cookies.h"
#include "sessions/SignIn.h"
#include "tokens/KeyRing.h"
#include "users/AccountNotices.h"

#include "portico/Crypto.h"
#include "portico/Json.h"

#include <array>

namespace portico::identity
{

namespace
{

constexpr std::string_view creation = "webauthn.create";
constexpr std::string_view use = "webauthn.get";
/// Algorithms that authenticators have and libfido2 verifies, best first: ES256, EdDSA, RS256.
constexpr std::array<std::int64_t, 3> algorithms = {-7, -8, -257};
constexpr std::size_t maxTransports = 8;
constexpr std::int64_t maxPasskeys = 20;

std::string hostOf(std::string_view origin)
{
    const auto scheme = origin.find("://");
    const auto host = scheme == std::string_view::npos ? std::string_view() : origin.substr(scheme + 3);
    return std::string(host.substr(0, host.find(':')));
}

std::string idOf(std::string_view challenge) { return toBase64Url(sha256(challenge).bytes()); }

std::optional<CredentialInput> parseCredential(const Json& json)
{
    try
    {
        auto input = fromStoredJson<CredentialInput>(json.text);
        return input.type == "public-key" ? std::optional(std::move(input)) : std::nullopt;
    }
    catch (const Problem&)
    {
        return std::nullopt;
    }
}

std::string decoded(std::string_view text) { return fromBase64Url(text).value_or(""); }

} // namespace

/// State of a ceremony in the StateStore.
struct Passkeys::Expected
{
    /// The user who creates a passkey. For a sign-in the named user, if they have a passkey.
    std::string userId;
    /// True if the sign-in named a user, so that passkeys of others are rejected.
    bool bound = false;
    std::string name;

    friend constexpr auto schemaOf(const Expected*) { return describe(members<&Expected::userId, &Expected::bound, &Expected::name>()); }
};

Passkeys::Passkeys(Core& core)
    : _core(core),
      _creations(core.state, "passkey-creation"),
      _uses(core.state, "passkey-use"),
      _tickets(core.state, "passkey-ceremony"),
      _rpId(core.context.config().text("identity.passkeys.rpId"))
{
    if (_rpId.empty()) _rpId = hostOf(core.origin);
}

Ceremony Passkeys::begin() const
{
    const auto challenge = randomToken();
    return {idOf(challenge), challenge};
}

void Passkeys::expectCreation(const Ceremony& ceremony, const UserId& user, std::string_view name)
{
    const Expected expected{std::string(user.text()), true, std::string(name)};
    _creations.put(ceremony.challengeId, expected, _core.settings.lifetimes.challenge);
}

std::vector<CredentialDescriptor> Passkeys::known(const UserId& user) const
{
    auto session = _core.database.session();
    std::vector<CredentialDescriptor> descriptors;
    for (const auto& passkey : passkeyTable.select(user).all(session))
        descriptors.push_back({"public-key", passkey.credentialId, passkey.transports});
    return descriptors;
}

std::vector<CredentialDescriptor> Passkeys::invented(std::string_view identifier) const
{
    const auto& key = _core.keys.macKey(_core.keys.newestMacKeyId());
    const auto seed = hmacSha256(key, "passkeys:" + emailKey(identifier));
    // Invented passkeys resemble those of phones, browsers and keys.
    struct Shape
    {
        std::size_t bytes;
        std::vector<std::string> transports;
    };
    static const std::array<Shape, 4> shapes = {
        {{20, {"internal", "hybrid"}}, {16, {"internal", "hybrid"}}, {32, {"internal"}}, {32, {"hybrid", "internal"}}}};
    const auto one = [](std::string_view bytes)
    {
        const auto& shape = shapes[static_cast<unsigned char>(bytes.back()) % shapes.size()];
        return CredentialDescriptor{"public-key", toBase64Url(bytes.substr(0, shape.bytes)), shape.transports};
    };
    // Most people have one, some have two.
    std::vector<CredentialDescriptor> descriptors = {one(seed.bytes())};
    if (static_cast<unsigned char>(seed.value[0]) < 64) descriptors.push_back(one(hmacSha256(key, seed.bytes()).bytes()));
    return descriptors;
}

CreationOptions Passkeys::creationOptions(const User& user, const Ceremony& ceremony) const
{
    CreationOptions options;
    options.rp = {_rpId, _core.settings.factorIssuer};
    options.user = {toBase64Url(user.id.text()), user.email, user.displayName};
    options.challenge = ceremony.challenge;
    for (const auto algorithm : algorithms) options.pubKeyCredParams.push_back({"public-key", algorithm});
    options.excludeCredentials = known(user.id);
    return options;
}

RequestOptions Passkeys::beginUse(std::string_view identifier, const Ceremony& ceremony)
{
    RequestOptions options;
    options.challenge = ceremony.challenge;
    options.rpId = _rpId;
    Expected expected;
    expected.bound = !identifier.empty();
    if (expected.bound)
    {
        // Takes the same time for every identifier: the query returns a row even if there is no user or passkey.
        auto session = _core.database.session();
        for (Row row : session.query("SELECT passkeys.user_id, COALESCE(passkeys.credential_id, '') AS id, "
                                     "COALESCE(passkeys.transports, '[\"internal\",\"hybrid\"]') AS transports "
                                     "FROM (SELECT CAST($1 AS TEXT) AS email_key) AS wanted "
                                     "LEFT JOIN users ON users.email_key = wanted.email_key "
                                     "LEFT JOIN passkeys ON passkeys.user_id = COALESCE(users.id, '')",
                                     emailKey(identifier)))
        {
            if (!row.isNull(0)) expected.userId = row.text(0);
            options.allowCredentials.push_back(row.as<CredentialDescriptor>());
        }
        auto invention = invented(identifier);
        if (expected.userId.empty()) options.allowCredentials = std::move(invention);
    }
    _uses.put(ceremony.challengeId, expected, _core.settings.lifetimes.challenge);
    return options;
}

bool Passkeys::isOurOrigin(std::string_view origin, const Request& request) const
{
    const auto host = hostOf(origin);
    const bool within = host == _rpId || host.ends_with('.' + _rpId);
    return within && _core.cookies.isTrusted(origin, request);
}

std::optional<std::string> Passkeys::ceremonyUrl(const Request& request, const Caller* maker, std::string_view name)
{
    const auto named = request.header("Origin");
    const auto origin = named.empty() ? request.origin : named;
    const auto host = hostOf(origin);
    // Only pages of trusted origins receive an address.
    if (host == _rpId || host.ends_with('.' + _rpId) || !_core.cookies.isTrusted(origin, request)) return std::nullopt;
    const CeremonyTicket wanted{maker ? maker->principalId : std::string(), maker ? maker->sessionId : std::string(),
                                std::string(name.empty() ? std::string_view("Passkey") : name), std::string(origin)};
    return _core.origin + "/login/passkey?ticket=" + _tickets.issue(wanted, _core.settings.lifetimes.challenge);
}

std::optional<CeremonyTicket> Passkeys::stillGood(std::optional<CeremonyTicket> ticket) const
{
    if (!ticket || ticket->userId.empty()) return ticket;
    auto session = _core.database.session();
    const auto signIn = sign_ins::find(session, ticket->sessionId);
    return signIn && signIn->active(_core.clock.now()) ? std::move(ticket) : std::nullopt;
}

std::optional<CeremonyTicket> Passkeys::look(const std::string& ticket) const { return stillGood(_tickets.look(ticket)); }

std::optional<CeremonyTicket> Passkeys::useTicket(const std::string& ticket) { return stillGood(_tickets.redeem(ticket)); }

std::optional<Passkeys::Expected> Passkeys::take(const Request& request, std::string_view type, std::string_view challengeId,
                                                 const CredentialInput& input)
{
    const auto client = webauthn::parseClientData(decoded(input.response.clientDataJson));
    if (!client) return std::nullopt;
    const auto answered = idOf(client->challenge);
    auto expected = (type == creation ? _creations : _uses).redeem(challengeId.empty() ? std::string_view(answered) : challengeId);
    if (!expected) throw Problem::gone("challenge_expired", "Begin again: this challenge was used or has expired.");
    const bool right = client->type == type && (challengeId.empty() || answered == challengeId) && !client->crossOrigin &&
                       isOurOrigin(client->origin, request);
    return right ? std::move(expected) : std::nullopt;
}

void Passkeys::requireRoom(Session& session, const UserId& user)
{
    if (passkeyTable.count(session, user) >= maxPasskeys)
        throw Problem::conflict("passkey_limit_reached", "Remove a passkey before you add another.");
}

void Passkeys::requireLive(Session& session, const CeremonyTicket& ticket) const
{
    const auto signIn = sign_ins::find(session, ticket.sessionId);
    if (!signIn || !signIn->active(_core.clock.now())) throw Problem::gone("challenge_expired", "Begin again in the app.");
}

Passkey Passkeys::finishCreation(const Request& request, const UserId& user, std::string_view challengeId, const Json& credential,
                                 const std::function<void(Session&)>& require)
{
    const auto rejected = Problem::badRequest("attestation_rejected", "This passkey cannot be added.");
    const auto input = parseCredential(credential);
    const auto expected = input ? take(request, creation, challengeId, *input) : std::nullopt;
    if (!expected || expected->userId != user.text()) throw rejected;
    const auto made =
        webauthn::verifyAttestation(_rpId, decoded(input->response.clientDataJson), decoded(input->response.attestationObject));
    if (!made || input->id != toBase64Url(made->id)) throw rejected;
    return _core.database.transact(
        [&](Transaction& transaction)
        {
            const auto now = _core.clock.now();
            Changes::waitFor(transaction, user);
            require(transaction);
            requireRoom(transaction, user);
            Passkey passkey;
            passkey.name = expected->name;
            passkey.userId = user;
            passkey.credentialId = input->id;
            passkey.algorithm = made->algorithm;
            passkey.publicKey = toBase64Url(made->publicKey);
            passkey.signCount = made->signCount;
            passkey.aaguid = toBase64Url(made->aaguid);
            passkey.backedUp = made->backedUp;
            for (const auto& transport : input->response.transports)
                if (transport.size() <= 20 && passkey.transports.size() < maxTransports) passkey.transports.push_back(transport);
            passkey = passkeyTable.stamped(std::move(passkey), {now});
            // The credential belongs to another user or to this one already (7.1, step 22).
            if (!passkeyTable.insertIfAbsent(transaction, user, passkey)) throw rejected;
            AuditLog::ofUser(Client::of(request), user, now).record(transaction, "passkey.registered", passkey.id);
            _core.notices.tell(transaction, user.text(), &AccountChangeMail::passkeyAdded);
            return passkey;
        });
}

bool Passkeys::noteUse(const Request& request, const Passkey& passkey, std::uint32_t signCount, bool backedUp)
{
    return _core.database.transact(
        [&](Transaction& transaction)
        {
            const auto now = _core.clock.now();
            const std::int64_t count = signCount;
            // Authenticators that do not count always report 0.
            const auto changed = passkeyTable.select(passkey.userId)
                                     .where(&Passkey::id, passkey.id)
                                     .where("sign_count < ? OR (sign_count = 0 AND sign_count = ?)", count, count)
                                     .set(transaction, &Passkey::signCount, count, &Passkey::backedUp, backedUp, &Passkey::lastUsedAt, now);
            if (changed == 0) AuditLog::anonymous(Client::of(request), now).refused(transaction, "passkey.counter_went_back", passkey.id);
            return changed > 0;
        });
}

std::optional<UserId> Passkeys::prove(const Request& request, std::string_view challengeId, const Json& credential)
{
    const auto input = parseCredential(credential);
    const auto expected = input ? take(request, use, challengeId, *input) : std::nullopt;
    if (!expected) return std::nullopt;
    auto passkey = [&]() -> std::optional<Passkey>
    {
        auto session = _core.database.session();
        const auto owner = session.value<UserId>("SELECT user_id FROM passkeys WHERE credential_id = $1", input->id);
        if (!owner) return std::nullopt;
        auto found = passkeyTable.select(*owner).where(&Passkey::credentialId, input->id).first(session);
        if (found) found->userId = *owner;
        return found;
    }();
    if (!passkey || (expected->bound && expected->userId != passkey->userId.text())) return std::nullopt;
    const auto& response = input->response;
    if (response.userHandle && decoded(*response.userHandle) != passkey->userId.text()) return std::nullopt;
    const auto verified =
        webauthn::verifyAssertion(_rpId, {passkey->algorithm, decoded(passkey->publicKey)},
                                  {decoded(response.clientDataJson), decoded(response.authenticatorData), decoded(response.signature)});
    if (!verified || !noteUse(request, *passkey, verified->signCount, verified->backedUp)) return std::nullopt;
    return passkey->userId;
}

bool Passkeys::confirms(const Request& request, const UserId& user, const Json& credential)
{
    try
    {
        return prove(request, {}, credential) == user;
    }
    catch (const Problem& problem)
    {
        if (problem.status() != 410) throw;
        return false;
    }
}

} // namespace portico::identity
