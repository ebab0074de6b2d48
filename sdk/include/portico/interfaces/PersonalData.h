#pragma once

#include "portico/Services.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::interfaces
{

/// A person whose data is exported or deleted.
struct Person
{
    std::string userId;
    /// Their address, also when the account is gone already; for what is kept by address instead of by id.
    std::string email;
    /// Organizations that they are or ever were a member of: what a service keeps by organization needs to be looked for only there.
    std::vector<std::string> organizationIds;
};

/// Personal data of a service. Every service that stores data of people provides it (`"many": true` in its manifest). Identity calls all of
/// them when a person exports their data or is deleted. It waits for an installed but disabled service, however long, so that no data is
/// left behind.
class PersonalData : public ServiceInterface
{
public:
    static constexpr std::string_view interfaceName = "portico.personal-data";
    static constexpr std::string_view interfaceVersion = "1.0";
    /// Takes one record: which kind it is of (`notes`), and the text of a JSON object. Both views live for the call. May throw, which ends
    /// `give`.
    using Receiver = std::function<void(std::string_view kind, std::string_view json)>;

    /// Streams the person's data, one record at a time, so that memory does not grow. Excludes records of the organizations they work for,
    /// includes what they wrote there. No secrets.
    /// @throws database errors: the export then restarts later.
    virtual void give(const Person& person, const Receiver& receive) = 0;
    /// Forgets the person for good: what is theirs alone is deleted, what belongs to an organization stays with it, without a name, an
    /// address or a duty of theirs. Called at least once and perhaps again after it returned, so a second time must do no harm. A throw
    /// means that it is asked again later.
    virtual void forget(const Person& person) = 0;
};

} // namespace portico::interfaces
