#pragma once

#include "audit/EventName.h"
#include "common/Requests.h"
#include "upstream/LinkedAccount.h"
#include "users/User.h"

#include <string>

namespace portico::identity
{

/// Whose account here somebody opens who was signed in elsewhere. The link of issuer and subject decides, and nothing else; a new link is
/// made by its owner, or by an address that somebody vouches for who may (decision 41). Thread-safe.
class ProviderAccounts
{
public:
    explicit ProviderAccounts(Core& core) : _core(core) {}

    /// @param locale of an account that has to be made
    /// @throws Problem 403 `account_not_linked`; 409 `email_in_use`, only to who has proved to the provider that the address is theirs
    User open(const IdentityProvider& provider, const UpstreamPerson& person, const Client& client, const std::string& locale);
    /// Whether a provider may open an account at all: an organization's opens those of its active members up to the rank of the person who
    /// set it up, and of nobody with a platform role. Asked at linking and at each sign-in. @throws Problem 403 `account_not_linked`
    static void requireMayOpen(Session& session, const IdentityProvider& provider, const User& user);
    /// Adds the link to an account whose owner asks for it. @throws Problem 409 `account_linked_elsewhere`
    /// @param browser The session of the browser that asks; it has to live on. @throws Problem 403 `other_account`
    void link(const UserId& user, const std::string& browser, const IdentityProvider& provider, const UpstreamPerson& person,
              const Client& client);

private:
    struct Arrival;
    User admit(Transaction& transaction, const Arrival& arrival);
    User adopt(Transaction& transaction, const Arrival& arrival, const User& known);
    User make(Transaction& transaction, const Arrival& arrival, const std::optional<User>& pending);
    static std::string nameOf(const Arrival& arrival);
    static User newUser(const Arrival& arrival);
    /// Whoever set an organization's provider up opens no account of somebody above them by it, in whatever organization they are that.
    static void requireReach(Transaction& transaction, const Arrival& arrival, const UserId& user);
    void requireMembership(Transaction& transaction, const Arrival& arrival, const UserId& user);
    void record(Transaction& transaction, const Arrival& arrival, EventName event, const UserId& user) const;

    Core& _core;
};

} // namespace portico::identity
