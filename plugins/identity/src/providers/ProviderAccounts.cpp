#include "providers/ProviderAccounts.h"

#include "accounts/EmailProofs.h"
#include "audit/Audit.h"
#include "common/Names.h"
#include "organizations/DomainRoutes.h"
#include "organizations/Memberships.h"
#include "organizations/Plans.h"
#include "sessions/BrowserSession.h"
#include "users/AccountNotices.h"

#include "portico/Json.h"
#include "portico/Text.h"

namespace portico::identity
{

namespace
{

Problem notLinked()
{
    return Problem::forbidden("account_not_linked", "No account here is linked to that one: sign in here, then link it.");
}

Problem emailInUse()
{
    return Problem::conflict("email_in_use", "There is an account with this address: sign in to it here, then link the other one.");
}

struct UpstreamAddress
{
    std::string email;
};

constexpr auto schemaOf(const UpstreamAddress*) { return describe(field<&UpstreamAddress::email>().email()); }

/// Returns none for an invalid address.
std::string addressOf(const UpstreamPerson& person)
{
    try
    {
        UpstreamAddress address{std::string(trim(person.email))};
        validate(address);
        return address.email;
    }
    catch (const Problem&)
    {
        return {};
    }
}

} // namespace

struct ProviderAccounts::Arrival
{
    const IdentityProvider& provider;
    const UpstreamPerson& person;
    const Client& client;
    std::string locale;
    std::string email;
    /// Id for a new account.
    UserId newId;
    Instant now{};
    /// True if the address is in a verified domain of the provider's organization.
    bool vouched = false;
    /// True if the provider's claim about the address is trusted.
    bool believed = false;
};

void ProviderAccounts::record(Transaction& transaction, const Arrival& arrival, EventName event, const UserId& user) const
{
    AuditLog::ofUser(arrival.client, user, arrival.now)
        .in(arrival.provider.organizationId)
        .record(transaction, event, user, {{"providerId", arrival.provider.id}, {"issuer", arrival.provider.issuer}});
}

void ProviderAccounts::requireMayOpen(Session& session, const IdentityProvider& provider, const User& user)
{
    if (!provider.organizationId) return;
    const auto membership = membershipTable.find(session, *provider.organizationId, user.id);
    if (!membership || membership->status != MembershipStatus::Active || user.platformRole || rank(membership->role) > provider.setUpRank)
        throw notLinked();
}

User ProviderAccounts::open(const IdentityProvider& provider, const UpstreamPerson& person, const Client& client, const std::string& locale)
{
    Arrival arrival{provider, person, client, locale, addressOf(person), {}, _core.clock.now()};
    arrival.newId = UserId::make(arrival.now);
    std::vector<Tenant> concerned;
    std::optional<UserId> known;
    {
        auto session = _core.database.session();
        if (const auto link = linked_accounts::find(session, provider.issuer, person.subject))
        {
            auto user = users::find(session, link->userId.text());
            if (!user) throw notLinked();
            requireMayOpen(session, provider, *user);
            return *std::move(user);
        }
        if (arrival.email.empty()) throw notLinked();
        if (const auto user = users::findByEmail(session, arrival.email)) known = user->id;
    }
    concerned.emplace_back(known ? *known : arrival.newId);
    if (provider.organizationId) concerned.emplace_back(*provider.organizationId);
    return _core.changes.run(concerned, [&](Transaction& transaction) { return admit(transaction, arrival); });
}

User ProviderAccounts::admit(Transaction& transaction, const Arrival& before)
{
    auto arrival = before;
    const auto& provider = arrival.provider;
    // Two pages of one browser may come at once.
    if (const auto link = linked_accounts::find(transaction, provider.issuer, arrival.person.subject))
    {
        auto user = users::find(transaction, link->userId.text()).value();
        requireMayOpen(transaction, provider, user);
        return user;
    }
    if (provider.organizationId) organizations::lock(transaction, *provider.organizationId);
    arrival.vouched = identity_providers::vouchesFor(transaction, provider, emailKey(arrival.email));
    arrival.believed = arrival.vouched || (provider.trustEmail && arrival.person.emailVerified);
    // Rejects an organization's provider before any lookup if the address is in another domain.
    if (provider.organizationId ? !arrival.vouched : !arrival.person.emailVerified) throw notLinked();
    const auto known = users::findByEmail(transaction, arrival.email);
    const bool pending = known && known->status == UserStatus::PendingVerification;
    auto user = known && !pending ? adopt(transaction, arrival, *known) : make(transaction, arrival, known);
    linked_accounts::insert(transaction, user.id, provider, arrival.person.subject, arrival.now);
    record(transaction, arrival, "account.linked", user.id);
    return user;
}

User ProviderAccounts::adopt(Transaction& transaction, const Arrival& arrival, const User& known)
{
    if (known.principalType != PrincipalType::User || !known.emailVerified) throw emailInUse();
    // An organization's provider must not open accounts with a platform role.
    if (arrival.provider.organizationId && known.platformRole) throw emailInUse();
    // An address may have been reassigned to another person, who then has another subject.
    if (linked_accounts::anyAt(transaction, known.id, arrival.provider.issuer)) throw emailInUse();
    const bool untouched = !known.passwordHash && !linked_accounts::any(transaction, known.id) &&
                           !transaction.value<std::int64_t>("SELECT 1 FROM passkeys WHERE user_id = $1 LIMIT 1", known.id);
    if (!arrival.vouched && !(arrival.believed && untouched)) throw emailInUse();
    requireReach(transaction, arrival, known.id);
    requireMembership(transaction, arrival, known.id);
    _core.notices.tell(transaction, known.id.text(), &AccountChangeMail::linked);
    return known;
}

void ProviderAccounts::requireReach(Transaction& transaction, const Arrival& arrival, const UserId& user)
{
    if (arrival.provider.organizationId && memberships::highestRank(transaction, user) > arrival.provider.setUpRank) throw emailInUse();
}

void ProviderAccounts::requireMembership(Transaction& transaction, const Arrival& arrival, const UserId& user)
{
    const auto& provider = arrival.provider;
    if (!provider.organizationId) return;
    const auto status = transaction.value<std::string>("SELECT status FROM memberships WHERE organization_id = $1 AND user_id = $2",
                                                       *provider.organizationId, user);
    if (status == toString(MembershipStatus::Active)) return;
    // Removed members do not rejoin.
    if (status || provider.join == ProviderJoin::Off) throw notLinked();
    plans::requireSeat(_core.context, transaction, *provider.organizationId);
    const auto role =
        memberships::grantedBy(transaction, *provider.organizationId, provider.joinRoleBy, provider.joinRole.value_or(Role::Member));
    memberships::join(transaction, *provider.organizationId, user, role, arrival.now);
    record(transaction, arrival, "membership.joined_by_provider", user);
}

User ProviderAccounts::make(Transaction& transaction, const Arrival& arrival, const std::optional<User>& pending)
{
    if (arrival.provider.join != ProviderJoin::Create) throw notLinked();
    if (pending && !arrival.believed) throw emailInUse();
    auto user = pending ? email_proofs::takeOver(transaction, *pending, nameOf(arrival), arrival.locale, arrival.client, arrival.now)
                        : newUser(arrival);
    if (pending)
        requireReach(transaction, arrival, user.id);
    else
        users::insert(transaction, user);
    record(transaction, arrival, "user.created", user.id);
    requireMembership(transaction, arrival, user.id);
    domains::joinByAddress(_core.context, transaction, user, arrival.now);
    return user;
}

std::string ProviderAccounts::nameOf(const Arrival& arrival)
{
    auto name = names::cleanName(arrival.person.name, 120);
    if (name.empty()) name = firstCharacters(std::string_view(arrival.email).substr(0, arrival.email.find('@')), 120);
    return name;
}

User ProviderAccounts::newUser(const Arrival& arrival)
{
    User user;
    user.id = arrival.newId;
    user.email = arrival.email;
    user.emailKey = emailKey(arrival.email);
    user.emailVerified = arrival.believed;
    user.displayName = nameOf(arrival);
    user.givenName = names::cleanName(arrival.person.givenName, 80);
    user.familyName = names::cleanName(arrival.person.familyName, 80);
    user.locale = arrival.locale;
    user.status = UserStatus::Active;
    user.createdAt = user.updatedAt = arrival.now;
    return user;
}

void ProviderAccounts::link(const UserId& user, const std::string& browser, const IdentityProvider& provider, const UpstreamPerson& person,
                            const Client& client)
{
    const Arrival arrival{provider, person, client, {}, {}, {}, _core.clock.now()};
    _core.changes.run({user},
                      [&](Transaction& transaction)
                      {
                          const auto session = browser_sessions::findById(transaction, browser);
                          if (!session || !session->active(arrival.now)) throw Problem::forbidden("other_account");
                          requireMayOpen(transaction, provider, users::find(transaction, user.text()).value());
                          if (const auto known = linked_accounts::find(transaction, provider.issuer, person.subject))
                          {
                              if (known->userId == user) return;
                              throw Problem::conflict("account_linked_elsewhere", "That account opens another one here already.");
                          }
                          linked_accounts::insert(transaction, user, provider, person.subject, arrival.now);
                          record(transaction, arrival, "account.linked", user);
                          _core.notices.tell(transaction, user.text(), &AccountChangeMail::linked);
                      });
}

} // namespace portico::identity
