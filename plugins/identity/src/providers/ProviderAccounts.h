#pragma once

#include "audit/EventName.h"
#include "common/Requests.h"
#include "upstream/LinkedAccount.h"
#include "users/User.h"

#include <string>

namespace portico::identity
{

/// Finds or creates the account for a user of an external provider. Only the link of issuer and subject identifies the account. Its owner
/// creates a link, or a trusted claim about the address does (decision 41). Thread-safe.
class ProviderAccounts
{
public:
    explicit ProviderAccounts(Core& core) : _core(core) {}

    /// @param locale of a new account
    /// @throws Problem 403 `account_not_linked`; 409 `email_in_use`, only to users whose address the provider has verified
    User open(const IdentityProvider& provider, const UpstreamPerson& person, const Client& client, const std::string& locale);
    /// Checks that a provider may open an account. An organization's provider may open accounts of its active members up to the rank of the
    /// person who configured it, and none with a platform role. Checked when linking and at each sign-in.
    /// @throws Problem 403 `account_not_linked`
    static void requireMayOpen(Session& session, const IdentityProvider& provider, const User& user);
    /// Adds the link to the account of a signed-in user.
    /// @param browser session of the browser, which must still be active
    /// @throws Problem 409 `account_linked_elsewhere`, 403 `other_account`
    void link(const UserId& user, const std::string& browser, const IdentityProvider& provider, const UpstreamPerson& person,
              const Client& client);

private:
    struct Arrival;
    User admit(Transaction& transaction, const Arrival& arrival);
    User adopt(Transaction& transaction, const Arrival& arrival, const User& known);
    User make(Transaction& transaction, const Arrival& arrival, const std::optional<User>& pending);
    static std::string nameOf(const Arrival& arrival);
    static User newUser(const Arrival& arrival);
    /// Rejects accounts that rank above the person who configured the organization's provider, in any organization.
    static void requireReach(Transaction& transaction, const Arrival& arrival, const UserId& user);
    void requireMembership(Transaction& transaction, const Arrival& arrival, const UserId& user);
    void record(Transaction& transaction, const Arrival& arrival, EventName event, const UserId& user) const;

    Core& _core;
};

} // namespace portico::identity
