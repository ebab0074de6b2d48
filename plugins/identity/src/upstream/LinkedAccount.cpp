#include "upstream/LinkedAccount.h"

#include "sessions/BrowserSession.h"
#include "sessions/SignIn.h"

#include "portico/Text.h"

#include <algorithm>
#include <iterator>

namespace portico::identity::linked_accounts
{

namespace
{

struct EndingBrowser
{
    std::string id;
    UserId userId;
};

constexpr auto schemaOf(const EndingBrowser*) { return describe(members<&EndingBrowser::id, &EndingBrowser::userId>()); }

std::vector<EndingBrowser> browsersOf(Session& session, const SignInsFrom& from)
{
    return session.all<EndingBrowser>("SELECT id, user_id FROM browser_sessions WHERE provider_id = $1 AND ended_at IS NULL "
                                      "AND ($2 = '' OR provider_subject = $2) AND ($3 = '' OR provider_sid = $3)",
                                      from.provider, from.session.subject, from.session.sid);
}

/// Includes sign-ins without a browser session: those of native apps and, if `from.offline`, those with offline access.
std::vector<SignIn> signInsOf(Session& session, const SignInsFrom& from)
{
    auto found = sign_ins::ofProvider(session, {from.provider.text(), from.session.subject, from.session.sid});
    if (!from.offline) std::erase_if(found, [](const SignIn& signIn) { return signIn.offline(); });
    return found;
}

/// With all that was signed in from them.
std::vector<std::string> endThem(Transaction& transaction, const std::vector<EndingBrowser>& browsers, std::string_view reason, Instant now,
                                 const AuditLog* by)
{
    std::vector<std::string> ended;
    for (const auto& browser : browsers)
    {
        SignIn any;
        any.browserSessionId = browser.id;
        std::ranges::move(sign_ins::end(transaction, sign_ins::ofSameBrowser(transaction, any), reason, now, by),
                          std::back_inserter(ended));
        browserSessionTable.set(transaction, browser.id, &BrowserSession::endedAt, now);
    }
    return ended;
}

/// Returns true if the sign-in came through the provider of an organization.
bool isThroughOrganization(Session& session, const SignIn& signIn)
{
    constexpr std::string_view prefix = "idp:";
    return std::ranges::any_of(signIn.amr,
                               [&](const std::string& method)
                               {
                                   const auto text = std::string_view(method);
                                   const auto id =
                                       text.starts_with(prefix) ? IdentityProviderId::parse(text.substr(prefix.size())) : std::nullopt;
                                   const auto provider = id ? identity_providers::find(session, *id) : std::nullopt;
                                   return provider && provider->organizationId;
                               });
}

} // namespace

std::optional<LinkedAccount> find(Session& session, std::string_view issuer, std::string_view subject)
{
    return session.one<LinkedAccount>("SELECT " + columns<LinkedAccount>() + " FROM linked_accounts WHERE issuer = $1 AND subject = $2",
                                      issuer, subject);
}

bool any(Session& session, const UserId& user) { return linkedAccountTable.count(session, user) > 0; }

bool anyAt(Session& session, const UserId& user, std::string_view issuer)
{
    return session.value<std::int64_t>("SELECT 1 FROM linked_accounts WHERE user_id = $1 AND issuer = $2 LIMIT 1", user, issuer)
        .has_value();
}

void insert(Transaction& transaction, const UserId& user, const IdentityProvider& provider, std::string_view subject, Instant now)
{
    LinkedAccount link;
    link.id = LinkedAccountId::make(now);
    link.providerId = provider.id;
    link.linkedAt = now;
    link.lastUsedAt = now;
    link.userId = user;
    link.issuer = provider.issuer;
    link.subject = subject;
    transaction.insert("linked_accounts", link, {});
}

bool hasOtherWay(Session& session, const UserId& user, const LinkedAccountId& without)
{
    return session
        .value<std::int64_t>("SELECT 1 FROM users u WHERE u.id = $1 AND (u.password_hash IS NOT NULL "
                             "OR EXISTS (SELECT 1 FROM passkeys p WHERE p.user_id = u.id) "
                             "OR EXISTS (SELECT 1 FROM linked_accounts l JOIN identity_providers p ON p.issuer = l.issuer "
                             "WHERE l.user_id = u.id AND l.id <> $2 AND p.status = 'active'))",
                             user, without)
        .has_value();
}

std::vector<UserId> holders(Session& session, const SignInsFrom& from)
{
    std::vector<UserId> found;
    for (auto& browser : browsersOf(session, from)) found.push_back(std::move(browser.userId));
    for (auto& signIn : signInsOf(session, from)) found.push_back(std::move(signIn.userId));
    return found;
}

std::vector<std::string> endSignIns(Transaction& transaction, const SignInsFrom& from, std::string_view reason, Instant now,
                                    const AuditLog* by)
{
    auto ended = endThem(transaction, browsersOf(transaction, from), reason, now, by);
    std::ranges::move(sign_ins::end(transaction, signInsOf(transaction, from), reason, now, by), std::back_inserter(ended));
    return ended;
}

std::vector<std::string> leave(Transaction& transaction, const OrganizationId& organization, const UserId& user, std::string_view reason,
                               Instant now, const AuditLog* by)
{
    transaction.execute("DELETE FROM linked_accounts WHERE user_id = $2 AND provider_id IN "
                        "(SELECT id FROM identity_providers WHERE organization_id = $1)",
                        organization, user);
    const auto browsers = transaction.all<EndingBrowser>(
        "SELECT id, user_id FROM browser_sessions WHERE user_id = $2 AND ended_at IS NULL AND provider_id IN "
        "(SELECT id FROM identity_providers WHERE organization_id = $1)",
        organization, user);
    return endThem(transaction, browsers, reason, now, by);
}

EndedLinks endOfOrganizations(Transaction& transaction, const UserId& user, std::string_view reason, Instant now, const AuditLog* by)
{
    EndedLinks links;
    links.removed = transaction.execute("DELETE FROM linked_accounts WHERE user_id = $1 AND provider_id IN "
                                        "(SELECT id FROM identity_providers WHERE organization_id IS NOT NULL)",
                                        user);
    const auto browsers = transaction.all<EndingBrowser>(
        "SELECT id, user_id FROM browser_sessions WHERE user_id = $1 AND ended_at IS NULL AND provider_id IN "
        "(SELECT id FROM identity_providers WHERE organization_id IS NOT NULL)",
        user);
    links.ended = endThem(transaction, browsers, reason, now, by);
    // Sign-ins of native apps and with offline access belong to no browser session.
    auto others = sign_ins::ofUser(transaction, user, now);
    std::erase_if(others, [&](const SignIn& signIn) { return !isThroughOrganization(transaction, signIn); });
    std::ranges::move(sign_ins::end(transaction, others, reason, now, by), std::back_inserter(links.ended));
    return links;
}

void touch(Transaction& transaction, const LinkedAccount& link, Instant now)
{
    linkedAccountTable.set(transaction, link.userId, link.id, &LinkedAccount::lastUsedAt, now);
}

std::string masked(std::string_view subject)
{
    const auto count = characterCount(subject);
    if (count < 8) return "…";
    return std::string(firstCharacters(subject, 2)) + "…" + std::string(subject.substr(firstCharacters(subject, count - 2).size()));
}

} // namespace portico::identity::linked_accounts
