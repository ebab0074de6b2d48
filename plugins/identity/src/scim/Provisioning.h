#pragma once

#include "accounts/AccountMails.h"
#include "common/Core.h"
#include "scim/Patch.h"
#include "scim/People.h"

namespace portico::identity::scim
{

/// Creates, changes and removes people for an organization's directory. Its rank is below super admins: it neither suspends nor removes
/// them and owners. It takes over no existing account: people join whose address is in a verified domain of the organization. Their data is
/// stored for this organization only, except names and addresses of accounts in such a domain. Thread-safe.
class Provisioning
{
public:
    explicit Provisioning(Core& core);

    boost::json::object find(const Call& call, std::string_view id, const Projection& projection) const;
    boost::json::object list(const Call& call, const ListQuery& query) const;
    /// @throws Problem 400 `invalidValue` for an address in another domain, 409 `uniqueness`
    boost::json::object create(const Call& call, const boost::json::object& sent);
    /// @param edit may be called twice
    /// @throws Problem 400 `invalidValue` for an address that the account cannot have, 403 `outranked`, 409 `uniqueness`, 412
    boost::json::object change(const Call& call, std::string_view id, std::string_view ifMatch, const Edit& edit);
    void remove(const Call& call, std::string_view id, std::string_view ifMatch);

private:
    boost::json::object resourceOf(Session& session, const OrganizationId& organization, const Person& person) const;
    boost::json::object scan(const Call& call, const ListQuery& query) const;
    /// Finds or creates the account of a new member.
    UserId accountFor(Transaction& transaction, const Call& call, const boost::json::object& wanted) const;
    UserId makeAccount(Transaction& transaction, const Call& call, const boost::json::object& wanted, const std::string& email) const;
    /// Sets the name and the address that the directory has changed.
    /// @param after rejected values are reset if the change `suspends`, and recorded
    void rename(Transaction& transaction, const Call& call, const Person& person, const boost::json::object& before,
                boost::json::object& after, bool suspends) const;
    void setActive(Transaction& transaction, const Call& call, const Person& person, bool active, std::vector<std::string>& ended) const;
    void tell(const UserId& id, const std::vector<std::string>& ended) const;

    Core& _core;
    const AccountMails _mails;
    const std::string _base;
};

/// Returns the base URL of SCIM, with which `location` begins.
std::string baseOf(const Core& core);

/// Rejects changes of people whom no directory may suspend, remove or give another role. @throws Problem 403 `outranked`
void requireWithinReach(Session& session, const Person& person);
bool isWithinReach(Session& session, const Person& person);

} // namespace portico::identity::scim
