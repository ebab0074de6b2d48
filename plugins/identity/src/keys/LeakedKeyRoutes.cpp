#include "keys/LeakedKeyRoutes.h"

#include "audit/Audit.h"
#include "common/Networks.h"
#include "common/Requests.h"
#include "users/User.h"

#include "portico/Crypto.h"

namespace portico::identity
{

namespace
{

constexpr std::string_view leakedKeyJob = "identity.leaked-key";
constexpr std::int64_t reportsPerMinute = 30;

struct LeakDetails
{
    std::string source;
    std::optional<std::string> url;
};

constexpr auto schemaOf(const LeakDetails*) { return describe(members<&LeakDetails::source, &LeakDetails::url>()); }

/// Closes a key that works: one that waits for its end is not there to be enabled again. False for a key that opens nothing anyway.
bool switchOff(ApiKey& key, Instant now)
{
    const auto status = key.statusAt(now);
    if (status != KeyStatus::Active && status != KeyStatus::Rotating) return false;
    key.status = KeyStatus::Disabled;
    if (status == KeyStatus::Active) return true;
    key.status = KeyStatus::Revoked;
    key.revokedAt = now;
    key.revokeReason = "leaked";
    return true;
}

} // namespace

LeakedKeyRoutes::LeakedKeyRoutes(Core& core)
    : _core(core),
      _reports(core.state, core.clock, {.use = "leaked-keys", .limit = reportsPerMinute}),
      _mail(core.mails.bind<LeakedKeyMail>("leaked-key"))
{
}

void LeakedKeyRoutes::start()
{
    _core.context.jobs().handle<LeakedKey>(leakedKeyJob, [this](const LeakedKey& leaked, const Job&) { act(leaked); });
}

void LeakedKeyRoutes::declare(Routes& routes)
{
    routes.post("/api/public/leaked-keys", access::open(), &LeakedKeyRoutes::report, this,
                {.summary = "Report a leaked key", .idempotencyKey = false, .statuses = {202}});
}

Reply<LeakReceived> LeakedKeyRoutes::report(const Request& request, const Body<LeakReport>& input)
{
    _reports.require(networkPrefix(request.clientAddress));
    const auto text = KeyText::parse(input->key);
    const LeakedKey leaked{text ? text->keyId : std::string(), sha256(text ? text->secret : input->key).hex(), input->source, input->url,
                           std::string(request.clientAddress)};
    _core.database.transact([&](Transaction& transaction) { _core.context.jobs().enqueue(transaction, leakedKeyJob, leaked); });
    return {.record = {}, .status = 202};
}

void LeakedKeyRoutes::act(const LeakedKey& leaked)
{
    std::optional<ApiKey> found;
    {
        auto session = _core.database.session();
        found = api_keys::findByKeyId(session, leaked.keyId);
    }
    if (!found || !sameSecret(found->secretHash, leaked.secretHash)) return;
    _core.changes.run({Tenant::fromStored(found->ownerId)},
                      [&](Transaction& transaction)
                      {
                          const auto now = _core.clock.now();
                          auto key = api_keys::find(transaction, found->id.text());
                          if (!key || !switchOff(*key, now)) return;
                          api_keys::narrow(transaction, *key, now);
                          AuditLog::anonymous({leaked.address, {}, {}}, now)
                              .in(key->organizationId)
                              .record(transaction, "api_key.leaked", key->id, LeakDetails{leaked.source, leaked.url});
                          tellOwners(transaction, *key, leaked);
                      });
}

void LeakedKeyRoutes::tellOwners(Transaction& transaction, const ApiKey& key, const LeakedKey& leaked) const
{
    const LeakedKeyMail mail{key.name, keyPrefix(key.environment, key.keyId), leaked.source, leaked.url};
    for (const auto& owner : api_keys::whoAnswersFor(transaction, key)) _mail.send(transaction, mailRecipient(owner), mail);
}

} // namespace portico::identity
