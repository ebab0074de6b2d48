#pragma once

#include "common/Core.h"
#include "scim/Patch.h"
#include "scim/People.h"
#include "sessions/SessionEvents.h"

namespace portico::identity::scim
{

/// Creates, changes and removes people for an organization's directory. It stands below super admins: those and owners it neither suspends
/// nor removes. It takes no account over: people join by it who have, or get, an address in a domain that the organization has proved; what
/// it says of them is kept for the organization alone, but for the names and the addresses of accounts in such a domain. Thread-safe.
class Provisioning
{
public:
    explicit Provisioning(Core& core);

    boost::json::object find(const Call& call, std::string_view id, const Projection& projection) const;
    boost::json::object list(const Call& call, const ListQuery& query) const;
    /// @throws Problem 400 `invalidValue` for an address elsewhere, 409 `uniqueness`
    boost::json::object create(const Call& call, const boost::json::object& sent);
    /// @param edit may run twice
    /// @throws Problem 400 `invalidValue` for a new address that the account cannot get, 403 `outranked`, 409 `uniqueness`, 412
    boost::json::object change(const Call& call, std::string_view id, std::string_view ifMatch, const Edit& edit);
    void remove(const Call& call, std::string_view id, std::string_view ifMatch);

private:
    boost::json::object resourceOf(Session& session, const OrganizationId& organization, const Person& person) const;
    boost::json::object scan(const Call& call, const ListQuery& query) const;
    /// The account of a new member: found or made.
    UserId accountFor(Transaction& transaction, const Call& call, const boost::json::object& wanted) const;
    UserId makeAccount(Transaction& transaction, const Call& call, const boost::json::object& wanted, const std::string& email) const;
    /// Gives the person the name and the address that the directory has changed.
    /// @param after what is refused goes back to what it was where the change `suspends`, and is noted
    void rename(Transaction& transaction, const Call& call, const Person& person, const boost::json::object& before,
                boost::json::object& after, bool suspends) const;
    void setActive(Transaction& transaction, const Call& call, const Person& person, bool active, std::vector<std::string>& ended) const;
    void tell(const UserId& id, const std::vector<std::string>& ended) const;

    Core& _core;
    SessionEvents _events;
    const std::string _base;
};

/// Where SCIM is: what `location` begins with.
std::string baseOf(const Core& core);

/// People whom no directory suspends, removes or gives another role. @throws Problem 403 `outranked`
void requireWithinReach(Session& session, const Person& person);
bool isWithinReach(Session& session, const Person& person);

} // namespace portico::identity::scim
