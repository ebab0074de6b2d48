#include "passkeys/PasskeyRoutes.h"

#include "audit/Audit.h"
#include "common/Networks.h"
#include "factors/Factors.h"
#include "permissions/Actor.h"
#include "users/AccountNotices.h"

#include "portico/Json.h"

namespace portico::identity
{

PasskeyRoutes::PasskeyRoutes(Core& core, SignInFlow& flow, Passkeys& passkeys)
    : _core(core),
      _flow(flow),
      _passkeys(passkeys),
      _throttle(core.state, core.settings, core.clock),
      // Two calls for each sign-in.
      _ofNetwork(core.state, core.clock,
                 {.use = "passkey-network", .limit = 2 * core.settings.addressAttemptsPerMinute, .window = std::chrono::minutes(1)})
{
}

void PasskeyRoutes::declare(Routes& routes)
{
    routes
        .post("/api/auth/passkeys/register/options", access::bearer().inPerson().freshProof(), &PasskeyRoutes::creationOptions, this,
              {.summary = "Create options for a new passkey",
               .onEveryOrigin = true,
               .idempotencyKey = false,
               .problems = {"403 step_up_required", "409 passkey_limit_reached"}})
        .post("/api/auth/passkeys/register/verify", access::bearer().inPerson().freshProof(), &PasskeyRoutes::finishCreation, this,
              {.summary = "Add a passkey",
               .onEveryOrigin = true,
               .idempotencyKey = false,
               .problems = {"400 attestation_rejected", "403 step_up_required", "409 passkey_limit_reached", "410 challenge_expired"}})
        .post("/api/auth/passkeys/authenticate/options", access::open(), &PasskeyRoutes::requestOptions, this,
              {.summary = "Create options for a sign-in with a passkey",
               .onEveryOrigin = true,
               .idempotencyKey = false,
               .problems = {"429 too_many_attempts"}})
        .post("/api/auth/passkeys/authenticate/verify", access::open(), &PasskeyRoutes::signIn, this,
              {.summary = "Sign in with a passkey",
               .onEveryOrigin = true,
               .idempotencyKey = false,
               .problems = {"401 passkey_rejected", "403 email_not_verified", "403 account_suspended", "403 membership_required",
                            "403 login_method_not_allowed", "410 challenge_expired", "429 too_many_attempts"}})
        .get("/api/auth/passkeys", access::bearer(), &PasskeyRoutes::list, this,
             {.summary = "List the caller's passkeys", .onEveryOrigin = true})
        .get("/api/auth/passkeys/{id}", access::bearer(), &PasskeyRoutes::show, this, {.summary = "Read a passkey", .onEveryOrigin = true})
        .patch("/api/auth/passkeys/{id}", access::bearer().inPerson(), &PasskeyRoutes::rename, this,
               {.summary = "Rename a passkey", .onEveryOrigin = true})
        .del("/api/auth/passkeys/{id}", access::bearer().inPerson(), &PasskeyRoutes::remove, this,
             {.summary = "Remove a passkey", .onEveryOrigin = true, .problems = {"409 last_factor_required_by_policy"}});
}

PasskeyCreation PasskeyRoutes::creationOptions(const Caller& caller, const Request& request, const Body<PasskeyNameInput>& input)
{
    const auto holder = caller.userId();
    const auto user = [&]
    {
        auto session = _core.database.session();
        Passkeys::requireRoom(session, holder);
        return users::find(session, caller.principalId).value();
    }();
    const auto ceremony = _passkeys.begin();
    _passkeys.expectCreation(ceremony, holder, input->name.empty() ? "Passkey" : std::string_view(input->name));
    return {ceremony.challengeId, _passkeys.creationOptions(user, ceremony), _passkeys.ceremonyUrl(request, &caller, input->name)};
}

Created<Passkey> PasskeyRoutes::finishCreation(const Caller& caller, const Request& request, const Body<PasskeyAnswer>& input)
{
    const auto require = [&](Session& session) { requireElevation(session, caller, _core.clock.now()); };
    auto made = _passkeys.finishCreation(request, caller.userId(), input->challengeId, input->credential, require);
    auto location = "/api/auth/passkeys/" + std::string(made.id.text());
    return {std::move(made), std::move(location)};
}

PasskeyRequest PasskeyRoutes::requestOptions(const Request& request, const Body<PasskeyIdentifierInput>& input)
{
    _ofNetwork.require(networkPrefix(request.clientAddress), "too_many_attempts");
    const auto ceremony = _passkeys.begin();
    return {ceremony.challengeId, _passkeys.beginUse(input->identifier, ceremony), _passkeys.ceremonyUrl(request, nullptr, {})};
}

std::string PasskeyRoutes::requestOptionsOf(const Ceremony& ceremony) { return toJson(_passkeys.beginUse({}, ceremony)); }

std::string PasskeyRoutes::creationOptionsOf(const std::string& ticket, const Ceremony& ceremony)
{
    const auto wanted = _passkeys.look(ticket);
    auto session = _core.database.session();
    const auto user = wanted ? users::find(session, wanted->userId) : std::nullopt;
    if (!user) throw Problem::gone("challenge_expired", "Begin again in the app.");
    _passkeys.expectCreation(ceremony, user->id, wanted->name);
    return toJson(_passkeys.creationOptions(*user, ceremony));
}

Reply<TokenResponse> PasskeyRoutes::signIn(const Request& request, const Body<PasskeySignIn>& input)
{
    auto wanted = _flow.atService(request, input->serviceId, input->clientId);
    wanted.organizationId = input->organizationId;
    wanted.remember = input->rememberMe;
    return complete(request, {input->challengeId, input->credential}, std::move(wanted));
}

Reply<TokenResponse> PasskeyRoutes::signInOnPage(const Request& request, const PasskeyAnswer& answer)
{
    return complete(request, answer, _flow.onPage(request));
}

Reply<TokenResponse> PasskeyRoutes::complete(const Request& request, const PasskeyAnswer& answer, SignInRequest wanted)
{
    _ofNetwork.require(networkPrefix(request.clientAddress), "too_many_attempts");
    wanted.amr = {std::string(amr::key), std::string(amr::several)};
    wanted.acr = "aal2";
    const auto holder = _passkeys.prove(request, answer.challengeId, answer.credential);
    const auto user = _core.read([&](Session& session) { return holder ? users::find(session, holder->text()) : std::nullopt; });
    if (!user)
    {
        _core.database.transact(
            [&](Transaction& transaction)
            {
                AuditLog::anonymous(wanted.client, _core.clock.now(), wanted.serviceId)
                    .refused(transaction, "session.refused", {}, {{"factor", "passkey"}});
            });
        throw Problem::unauthorized("passkey_rejected", "That passkey does not open an account here.");
    }
    SignInFlow::requireActive(*user, "passkey_rejected");
    auto reply = _flow.complete(request, *user, wanted);
    _throttle.forgive(user->emailKey);
    return reply;
}

Page<Passkey> PasskeyRoutes::list(const Caller& caller, const Paging& paging) const
{
    auto session = _core.database.session();
    const auto holder = caller.userId();
    return passkeyTable.select(holder).orderBy(&Passkey::createdAt).page(session, paging);
}

Passkey PasskeyRoutes::show(const Caller& caller, const Path<PasskeyId>& id) const
{
    auto session = _core.database.session();
    const auto holder = caller.userId();
    return passkeyTable.require(session, holder, *id);
}

Passkey PasskeyRoutes::rename(const Caller& caller, const Path<PasskeyId>& id, const Body<Patch<Passkey>>& patch, const IfMatch& match)
{
    const auto holder = caller.userId();
    return _core.database.transact([&](Transaction& transaction)
                                   { return passkeyTable.change(transaction, holder, *id, match, {_core.clock.now()}, *patch); });
}

NoContent PasskeyRoutes::remove(const Caller& caller, const Request& request, const Path<PasskeyId>& id, const IfMatch& match)
{
    const auto holder = caller.userId();
    _core.database.transact(
        [&](Transaction& transaction)
        {
            passkeyTable.remove(transaction, holder, *id, match);
            factors::requireRemaining(transaction, holder);
            AuditLog::personal(request, _core.clock.now()).record(transaction, "passkey.removed", *id);
            _core.notices.tell(transaction, caller.principalId, &AccountChangeMail::passkeyRemoved);
        });
    return {};
}

} // namespace portico::identity
