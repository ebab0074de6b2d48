#include "credentials/CredentialValidator.h"

#include "catalog/CatalogStore.h"
#include "clients/ServicePrincipal.h"
#include "common/Networks.h"
#include "common/Requests.h"
#include "credentials/DirectorySecret.h"
#include "credentials/ServiceCaller.h"
#include "keys/KeyActor.h"
#include "keys/WidgetKeys.h"
#include "oauth/TokenExchange.h"
#include "oauth/TokenHolder.h"
#include "permissions/Actor.h"
#include "permissions/Evaluator.h"
#include "records/Organization.h"
#include "records/SecurityPolicy.h"
#include "sessions/SignIn.h"
#include "tokens/KeyRing.h"
#include "users/User.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

constexpr std::int64_t keyFailuresPerMinute = 30;

void describeContext(const ActiveStanding& standing, Caller& caller)
{
    if (standing.organizationId) caller.organizationId = standing.organizationId->text();
    caller.organizationName = standing.organizationName;
    caller.role = toString(standing.role);
    caller.platformBypass = standing.platformBypass;
    if (standing.household) caller.householdId = standing.household->id.text();
}

void describePerson(const User& user, Caller& caller)
{
    caller.principalType = toString(user.principalType);
    caller.displayName = user.displayName;
    caller.email = user.email;
    caller.revision = user.revision;
}

SignIn liveSignIn(Session& session, const AccessClaims& claims, Instant now)
{
    auto signIn = sign_ins::find(session, claims.sid);
    if (!signIn || signIn->userId.text() != claims.sub) throw invalidToken("revoked");
    // A token of another client must come from a token exchange.
    const bool fits = signIn->clientId == claims.clientId ? signIn->serviceId == claims.aud : TokenExchange::isLive(session, claims);
    if (!fits) throw invalidToken("revoked");
    if (!signIn->active(now)) throw invalidToken("session_ended");
    return *std::move(signIn);
}

User activeUser(Session& session, const SignIn& signIn)
{
    auto user = users::find(session, signIn.userId.text());
    if (!user || user->status != UserStatus::Active) throw invalidToken("user_suspended");
    return *std::move(user);
}

/// Checks that the impersonator is still signed in, an operator, and of a higher rank than the subject.
void requireImpersonator(Session& session, const SignIn& signIn, const User& subject, Instant now)
{
    if (!signIn.impersonatorId) return;
    const auto own = sign_ins::find(session, signIn.impersonatorSessionId.value_or(SessionId()).text());
    const auto impersonator = users::find(session, signIn.impersonatorId->text());
    const auto rankOf = [](const User& user, bool counts) { return user.platformRole && counts ? rank(*user.platformRole) : 0; };
    if (!own || !own->active(now) || !impersonator || impersonator->status != UserStatus::Active ||
        rankOf(*impersonator, platform_power::judge(session, *impersonator, SignInProof::of(*own, now)).effective()) <=
            rankOf(subject, organizations::belongsToAdmin(session, subject.id)))
        throw invalidToken("session_ended");
}

Caller describeCaller(const AccessClaims& claims, const SignIn& signIn, const User& user, const ActiveStanding& standing, Instant now)
{
    Caller caller;
    caller.credential = CredentialKind::AccessToken;
    caller.principalId = user.id.text();
    describePerson(user, caller);
    describeContext(standing, caller);
    if (standing.platformBypass) caller.platformRole = toString(*standing.platformRole);
    caller.sessionId = signIn.id.text();
    if (signIn.impersonatorId) caller.impersonatorId = signIn.impersonatorId->text();
    caller.acr = signIn.effectiveAcr(now);
    caller.clientId = claims.clientId;
    caller.scope = claims.scope;
    caller.authenticatedAt = signIn.authTime;
    caller.serviceId = claims.aud;
    caller.expiresAt = Instant(std::chrono::seconds(claims.exp));
    return caller;
}

constexpr auto neverWithoutChange = std::chrono::hours(24 * 365);

Instant firstOverrideEnd(const EvaluationInput& input, Instant now)
{
    Instant first = now + neverWithoutChange;
    for (const auto& entry : input.userOverrides)
        if (entry.expiresAt && *entry.expiresAt > now) first = std::min(first, *entry.expiresAt);
    return first;
}

/// The next moment at which time alone changes the answer.
Instant nextTurn(const SignIn& signIn, const ActiveStanding& standing, const EvaluationInput& input, Instant expiry, Instant now)
{
    Instant until = std::min(expiry, signIn.expiresAt);
    if (standing.platformBypass) until = std::min(until, standing.power.until.value_or(until));
    if (signIn.elevated(now)) until = std::min(until, *signIn.elevatedUntil);
    return std::min(until, firstOverrideEnd(input, now));
}

/// Scopes that the catalog still has: one that a manifest dropped opens nothing.
std::vector<std::string> liveScopes(const CatalogService& service, const Grant& grant)
{
    std::vector<std::string> scopes;
    for (const auto& scope : grant.scopes)
        if (service.scope(scope)) scopes.push_back(scope);
    std::ranges::sort(scopes);
    return scopes;
}

/// Resources narrow only the scopes that name their type.
void bindResources(const CatalogService& service, const Grant& grant, Caller& caller)
{
    for (const auto& resource : grant.resources)
    {
        const auto names = [&](const std::string& scope)
        {
            const auto& bindable = service.scope(scope)->bindable;
            return std::ranges::find(bindable, resource.type) != bindable.end();
        };
        if (std::ranges::any_of(caller.scopes, names)) caller.boundResources[resource.type].push_back(resource.id);
    }
}

void describeKey(const ApiKey& key, const ActiveStanding& standing, std::string_view serviceId, Caller& caller)
{
    describeContext(standing, caller);
    caller.apiKeyId = key.id.text();
    caller.apiKeyPublicId = key.keyId;
    caller.apiKeyName = key.name;
    caller.serviceId = serviceId;
    if (key.expiresAt) caller.expiresAt = *key.expiresAt;
    if (!key.rateLimit) return;
    caller.rateLimit = key.rateLimit->limit;
    caller.rateWindowSeconds = key.rateLimit->windowSeconds;
}

/// Grants the key's rights: current permissions of the owner without those exempt from keys, and the key's scopes in this service.
void giveRights(const CatalogService& service, const EvaluationInput& input, const ApiKey& key, Instant now, Caller& caller)
{
    caller.permissions = effectivePermissions(service, input, now);
    std::erase_if(caller.permissions, [&](const std::string& permission) { return service.exempt(permission); });
    const auto* grant = key.grantFor(service.serviceId);
    if (!grant) return;
    caller.scopes = liveScopes(service, *grant);
    bindResources(service, *grant, caller);
}

Instant nextTurn(const ApiKey& key, const EvaluationInput& input, Instant now)
{
    const auto until = firstOverrideEnd(input, now);
    return std::min(until, key.endsAt().value_or(until));
}

/// The owner's standing now, in the key's context; fills in who the caller is.
ActiveStanding ownerOf(Session& session, const ApiKey& key, Caller& caller)
{
    caller.principalId = key.ownerId;
    if (key.ownerType == KeyOwner::Organization)
    {
        auto standing = access_facts::organizationStanding(session, key.organizationId.value_or(OrganizationId()));
        caller.principalType = toString(PrincipalType::Service);
        caller.displayName = standing.organizationName;
        return standing;
    }
    const auto user = users::find(session, key.ownerId);
    if (!user || user->status != UserStatus::Active) throw invalidToken("user_suspended");
    describePerson(*user, caller);
    return access_facts::standing(session, *user, key.organizationId, std::nullopt);
}

std::shared_ptr<const AddressList> organizationAddresses(const ActiveStanding& standing)
{
    return standing.ipAllowList.empty() ? nullptr : std::make_shared<const AddressList>(standing.ipAllowList);
}

std::shared_ptr<const AddressList> operatorAddresses(const ActiveStanding& standing)
{
    if (!standing.platformBypass || standing.power.ipAllowList.empty()) return nullptr;
    return std::make_shared<const AddressList>(standing.power.ipAllowList);
}

/// A platform role has effect only from the networks of the admin organization. @throws Problem 403 `service_access_denied`
std::shared_ptr<const Caller> callerFrom(const RememberedCredential& known, const interfaces::Credential& credential)
{
    if (!known.operatorAddresses || known.operatorAddresses->allows(credential.clientAddress)) return known.caller;
    if (!known.callerElsewhere) throw Problem::forbidden("service_access_denied");
    return known.callerElsewhere;
}

/// Allows personal routes from any network. Otherwise users could not leave a context that has become inaccessible.
bool reachesOrganization(const RememberedCredential& known, const interfaces::Credential& credential)
{
    if (!credential.requireAccess && !credential.ofOrganization) return true;
    return !known.lacksFactor && (!known.organizationAddresses || known.organizationAddresses->allows(credential.clientAddress));
}

/// 403, not 401: the sign-in is as good as before, and another token would not help.
void requireOrganizationReach(const RememberedCredential& known, const interfaces::Credential& credential)
{
    if (reachesOrganization(known, credential)) return;
    if (known.lacksFactor) throw Problem::forbidden("org_policy_mfa_required", "This organization asks for a second factor.");
    throw Problem::forbidden("org_policy_ip_not_allowed", "This organization is not open to your network.");
}

} // namespace

CredentialValidator::CredentialValidator(Core& core, KeyUsage& usage)
    : _core(core),
      _usage(usage),
      _dpop(core.state, core.clock),
      _keyFailures(core.state, core.clock, {.use = "key-failures", .limit = keyFailuresPerMinute})
{
}

std::shared_ptr<const Caller> CredentialValidator::validate(const interfaces::Credential& credential)
{
    auto asked = question(credential);
    if (directory_secret::isMeant(credential)) return validateDirectorySecret(std::move(asked));
    return credential.kind == CredentialKind::ApiKey ? validateKey(std::move(asked)) : validateToken(std::move(asked));
}

void CredentialValidator::requireFreshProof(const Caller& caller)
{
    auto session = _core.database.session();
    requireElevation(session, caller, _core.clock.now());
}

/// Excludes keys and directory secrets, which need further checks.
std::shared_ptr<const Caller> CredentialValidator::validateCached(const interfaces::Credential& credential)
{
    if (credential.kind != CredentialKind::AccessToken || directory_secret::isMeant(credential)) return nullptr;
    auto asked = remembered(credential);
    if (!asked.known) return nullptr;
    // On PostgreSQL the host reads it, also for a worker that asks next.
    const auto revision = _core.changes.atHand(asked.known->caller->principalId, asked.known->caller->organizationId);
    if (!revision) return nullptr;
    asked.revision = *revision;
    // A DPoP proof must be checked and consumed for each request.
    const bool plain = credential.presented == interfaces::Credential::Presented::Bearer && !asked.known->claims->cnf;
    // If an operator's rights depend on the address, the full path decides.
    return plain && asked.isCurrent() && !asked.known->operatorAddresses && reachesOrganization(*asked.known, credential)
               ? std::move(asked.known->caller)
               : nullptr;
}

CredentialValidator::Question CredentialValidator::remembered(const interfaces::Credential& credential)
{
    Question asked{credential,
                   {credential.digest ? *credential.digest : sha256(credential.value), std::string(credential.serviceId), credential.kind,
                    credential.requireAccess, credential.ofOrganization},
                   _core.clock.now(),
                   {},
                   {}};
    // A secret of SCIM is remembered apart: it opens no other route.
    if (directory_secret::isMeant(credential)) asked.key.serviceId += " scim";
    asked.known = _cache.find(asked.key);
    if (asked.known && asked.now >= asked.known->expiresAt) asked.known.reset();
    return asked;
}

CredentialValidator::Question CredentialValidator::question(const interfaces::Credential& credential)
{
    auto asked = remembered(credential);
    if (asked.known)
        asked.revision = _core.changes.current(asked.known->caller->principalId, asked.known->caller->organizationId);
    else
        asked.revision.common = _core.changes.current();
    return asked;
}

std::shared_ptr<const Caller> CredentialValidator::validateToken(Question question)
{
    if (question.isCurrent())
    {
        requireOrganizationReach(*question.known, question.credential);
        requireHolder(_dpop, question.credential, *question.known->claims);
        return callerFrom(*question.known, question.credential);
    }
    auto claims = question.known ? std::move(question.known->claims) : readClaims(question);
    // A person's token refers to a sign-in; a client's token does not.
    const bool ofKey = claims->isWidget() && claims->sid.empty();
    auto remembered = ofKey                 ? verifyWidgetKey(question, *claims)
                      : claims->sid.empty() ? verifyService(question, *claims)
                                            : verifyToken(question, *claims);
    requireHolder(_dpop, question.credential, *claims);
    remembered.claims = std::move(claims);
    _cache.store(question.key, remembered, question.now);
    requireOrganizationReach(remembered, question.credential);
    return callerFrom(remembered, question.credential);
}

std::shared_ptr<const AccessClaims> CredentialValidator::readClaims(const Question& question)
{
    const auto keys = _core.keys.signingKeys(question.revision.common);
    auto read = decodeToken(*keys, question.credential.value, _core.origin, question.now);
    if (read.fault == TokenFault::None && read.claims.aud != question.credential.serviceId) read.fault = TokenFault::WrongAudience;
    if (read.fault != TokenFault::None) throw invalidToken(reason(read.fault));
    return std::make_shared<const AccessClaims>(std::move(read.claims));
}

RememberedCredential CredentialValidator::verifyToken(const Question& question, const AccessClaims& claims)
{
    const auto now = question.now;
    const auto catalog = _core.catalog.snapshot(question.revision.common);
    const auto numbers = _core.changes.hostNumbers();
    auto snapshot = _core.database.snapshot();
    const auto signIn = liveSignIn(snapshot, claims, now);
    const auto user = activeUser(snapshot, signIn);
    requireImpersonator(snapshot, signIn, user, now);
    auto standing = access_facts::standing(snapshot, user, signIn.organizationId, SignInProof::of(signIn, now));
    if (claims.isWidget() && !claims.platformRole) standing.platformBypass = false;
    const auto* service = catalog->find(claims.aud);
    const auto input = access_facts::input(snapshot, standing, claims.aud);
    if (question.credential.requireAccess && (!service || !mayEnter(*service, input)))
    {
        // Names the reason to callers who manage a workspace.
        const auto organization = service && managesPlatform(*service) && standing.organizationSuspended
                                      ? organizations::find(snapshot, *signIn.organizationId)
                                      : std::nullopt;
        if (organization) organizations::refuseClosedWorkspace(*organization);
        throw Problem::forbidden("service_access_denied");
    }
    const Viewed viewed{snapshot, *catalog, question, claims, signIn, user};
    auto caller = callerIn(viewed, standing, input);
    RememberedCredential verified;
    verified.revision = _core.changes.revisionIn(snapshot, question.revision.common, numbers, caller.principalId, caller.organizationId);
    verified.expiresAt = caller.expiresAt;
    // The result also depends on the impersonator, whose changes are not part of this caller's revision. Looked up for each request.
    verified.callerUntil = signIn.impersonatorId ? now : nextTurn(signIn, standing, input, caller.expiresAt, now);
    // The network and factors were checked when the fan-out token was issued.
    if (!claims.isWidget())
    {
        verified.organizationAddresses = organizationAddresses(standing);
        verified.operatorAddresses = operatorAddresses(standing);
    }
    if (verified.operatorAddresses)
    {
        auto elsewhere = standing;
        elsewhere.platformBypass = false;
        const auto there = access_facts::input(snapshot, elsewhere, claims.aud);
        if (!question.credential.requireAccess || mayEnter(*service, there))
            verified.callerElsewhere = Caller::share(callerIn(viewed, elsewhere, there));
    }
    // A step-up by password does not count, because it is not a second factor.
    verified.lacksFactor = standing.mfaRequired && !hasSecondFactor(signIn.amr, signIn.acr) && !claims.isWidget();
    verified.caller = Caller::share(std::move(caller));
    return verified;
}

Caller CredentialValidator::callerIn(const Viewed& viewed, const ActiveStanding& standing, const EvaluationInput& input) const
{
    const auto& [snapshot, catalog, question, claims, signIn, user] = viewed;
    const auto now = question.now;
    const auto* service = catalog.find(claims.aud);
    auto caller = describeCaller(claims, signIn, user, standing, now);
    caller.widgetOnly = claims.isWidget();
    caller.delegated = !caller.widgetOnly && isDelegated(snapshot, catalog, signIn, claims);
    if (service) caller.permissions = effectivePermissions(*service, input, now);
    if (!caller.widgetOnly && service && service->serviceId != identityServiceId &&
        (question.credential.ofOrganization || managesPlatform(*service)))
    {
        const auto more =
            effectivePermissions(*catalog.find(identityServiceId), access_facts::input(snapshot, standing, identityServiceId), now);
        caller.permissions.insert(caller.permissions.end(), more.begin(), more.end());
        std::ranges::sort(caller.permissions);
    }
    return caller;
}

bool CredentialValidator::managesPlatform(const CatalogService& service) const
{
    return service.serviceId == identityServiceId || (!service.publisherId && _core.settings.isConsole(service.serviceId));
}

RememberedCredential CredentialValidator::verifyService(const Question& question, const AccessClaims& claims)
{
    const auto catalog = _core.catalog.snapshot(question.revision.common);
    const auto numbers = _core.changes.hostNumbers();
    auto snapshot = _core.database.snapshot();
    const auto principal = ServicePrincipal::require(snapshot, *catalog, claims.clientId, claims.scope);
    const auto* service = catalog->find(claims.aud);
    const auto input = access_facts::input(snapshot, principal.owner, claims.aud);
    // A service may call for all organizations, an organization's program only services that the organization may use.
    const bool mayCall = service && (principal.client.serviceId ? service->active() : mayEnter(*service, input));
    if (!mayCall) throw Problem::forbidden("service_access_denied");
    auto caller = describeService(claims, principal);
    RememberedCredential verified;
    verified.revision = _core.changes.revisionIn(snapshot, question.revision.common, numbers, caller.principalId, caller.organizationId);
    verified.callerUntil = verified.expiresAt = caller.expiresAt;
    if (!principal.client.serviceId) verified.organizationAddresses = organizationAddresses(principal.owner);
    verified.caller = Caller::share(std::move(caller));
    return verified;
}

std::shared_ptr<const Caller> CredentialValidator::validateDirectorySecret(Question question)
{
    auto& known = question.known;
    if (!question.isCurrent())
    {
        const auto found = directory_secret::find(_core, question.credential.value, question.now, question.revision.common);
        if (!found) refuseUnknown(question, "revoked");
        known = *found;
        _cache.store(question.key, *known, question.now);
    }
    requireOrganizationReach(*known, question.credential);
    return std::move(known->caller);
}

std::shared_ptr<const Caller> CredentialValidator::validateKey(Question question)
{
    auto& known = question.known;
    if (!question.isCurrent())
    {
        known = verifyKey(question);
        _cache.store(question.key, *known, question.now);
    }
    const auto& address = question.credential.clientAddress;
    const auto catalog = _core.catalog.snapshot(question.revision.common);
    if ((known->addresses && !known->addresses->allows(address)) || !reachesOrganization(*known, question.credential))
    {
        _usage.note(*catalog, known->caller->apiKeyId, question.credential.serviceId, address, question.now, KeyUseKind::Denied);
        throw invalidToken("ip_not_allowed");
    }
    auto caller = callerFrom(*known, question.credential);
    // Calls about the key itself are no use of it.
    if (question.credential.requireAccess) _usage.note(*catalog, caller->apiKeyId, question.credential.serviceId, address, question.now);
    return caller;
}

RememberedCredential CredentialValidator::verifyKey(const Question& question)
{
    const auto text = KeyText::parse(question.credential.value);
    if (!text) refuseUnknown(question, "key_not_found");
    const auto catalog = _core.catalog.snapshot(question.revision.common);
    const auto numbers = _core.changes.hostNumbers();
    auto snapshot = _core.database.snapshot();
    const auto key = api_keys::findByKeyId(snapshot, text->keyId);
    if (!key || key->environment != text->environment || !sameSecret(key->secretHash, sha256(text->secret).hex()))
        refuseUnknown(question, "key_not_found");
    try
    {
        key_rules::requireUsable(*key, question.now);
    }
    catch (const Problem&)
    {
        _usage.note(*catalog, key->id.text(), question.credential.serviceId, question.credential.clientAddress, question.now,
                    KeyUseKind::Denied);
        throw;
    }
    return describeOwner(question, snapshot, *catalog, numbers, *key);
}

RememberedCredential CredentialValidator::verifyWidgetKey(const Question& question, const AccessClaims& claims)
{
    const auto catalog = _core.catalog.snapshot(question.revision.common);
    const auto numbers = _core.changes.hostNumbers();
    auto snapshot = _core.database.snapshot();
    const auto key = widget_keys::find(snapshot, claims, question.now);
    if (!key) throw invalidToken("revoked");
    auto verified = describeOwner(question, snapshot, *catalog, numbers, *key);
    // The token does not name the network, so a platform role that depends on it has no effect.
    if (verified.operatorAddresses)
    {
        if (!verified.callerElsewhere) throw Problem::forbidden("service_access_denied");
        verified.caller = std::move(verified.callerElsewhere);
        verified.operatorAddresses.reset();
    }
    auto caller = *verified.caller;
    caller.credential = CredentialKind::AccessToken;
    caller.widgetOnly = true;
    caller.clientId = claims.clientId;
    caller.scope = claims.scope;
    caller.authenticatedAt = Instant(std::chrono::seconds(claims.authTime));
    caller.expiresAt = Instant(std::chrono::seconds(claims.exp));
    caller.rateLimit = 0;
    verified.expiresAt = caller.expiresAt;
    verified.callerUntil = std::min(verified.callerUntil, caller.expiresAt);
    // The caller's network was checked on the request for which the token was issued.
    verified.addresses.reset();
    verified.organizationAddresses.reset();
    verified.caller = Caller::share(std::move(caller));
    return verified;
}

RememberedCredential CredentialValidator::describeOwner(const Question& question, Session& snapshot, const Catalog& catalog,
                                                        const Changes::HostNumbers& numbers, const ApiKey& key) const
{
    Caller owner;
    owner.credential = CredentialKind::ApiKey;
    const auto standing = ownerOf(snapshot, key, owner);
    if (standing.organizationSuspended) throw invalidToken("workspace_suspended");
    // On routes about the caller's own things, too: outside of its context a key has none.
    if (!standing.inGoodStanding) throw Problem::forbidden("service_access_denied");
    const auto serviceId = question.credential.serviceId;
    const auto input = access_facts::input(snapshot, standing, serviceId);
    const auto* service = catalog.find(serviceId);
    if (question.credential.requireAccess && (!service || !mayEnter(*service, input))) throw Problem::forbidden("service_access_denied");
    const auto ownerIn = [&](const ActiveStanding& place, const EvaluationInput& rights)
    {
        auto described = owner;
        describeKey(key, place, serviceId, described);
        if (service) giveRights(*service, rights, key, question.now, described);
        return described;
    };
    auto caller = ownerIn(standing, input);
    RememberedCredential verified;
    verified.revision = _core.changes.revisionIn(snapshot, question.revision.common, numbers, caller.principalId, caller.organizationId);
    verified.callerUntil = verified.expiresAt = nextTurn(key, input, question.now);
    if (!key.ipAllowList.empty()) verified.addresses = std::make_shared<const AddressList>(key.ipAllowList);
    verified.organizationAddresses = organizationAddresses(standing);
    verified.operatorAddresses = operatorAddresses(standing);
    if (verified.operatorAddresses)
    {
        auto elsewhere = standing;
        elsewhere.platformBypass = false;
        const auto there = access_facts::input(snapshot, elsewhere, serviceId);
        if (!question.credential.requireAccess || mayEnter(*service, there))
            verified.callerElsewhere = Caller::share(ownerIn(elsewhere, there));
    }
    verified.caller = Caller::share(std::move(caller));
    return verified;
}

/// Guessing is hopeless; the limit is against the load of it. A key that is good is never refused for others' failures.
void CredentialValidator::refuseUnknown(const Question& question, std::string_view reason)
{
    // A backend that does not say where the key came from fails for itself.
    const auto network = networkPrefix(question.credential.clientAddress);
    _keyFailures.require(network.empty() ? std::string(question.credential.serviceId) : network);
    throw invalidToken(reason);
}

} // namespace portico::identity
