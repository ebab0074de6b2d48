#pragma once

#include "portico/Services.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::interfaces
{

/// Somebody whose data is asked for, or who is to be forgotten.
struct Person
{
    std::string userId;
    /// Their address, also when the account is gone already; for what is kept by address instead of by id.
    std::string email;
    /// Organizations that they are or ever were a member of: what a service keeps by organization needs to be looked for only there.
    std::vector<std::string> organizationIds;
};

/// What a service keeps of people. Every service that keeps data of a person provides it (`"many": true` in its manifest); identity asks
/// all of them when somebody exports their data or is deleted. One that is installed but away is waited for, however long it takes, so
/// nothing is forgotten because a service was disabled that day.
class PersonalData : public ServiceInterface
{
public:
    static constexpr std::string_view interfaceName = "portico.personal-data";
    static constexpr std::string_view interfaceVersion = "1.0";
    /// Takes one record: which kind it is of (`notes`), and the text of a JSON object. Both views live for the call. May throw, which ends
    /// `give`.
    using Receiver = std::function<void(std::string_view kind, std::string_view json)>;

    /// Hands over all that is kept of that person and theirs to have, a record at a time, so that memory does not grow with it. What the
    /// organizations they work for keep is not theirs, but what they wrote there is. No secrets. @throws what the database throws: the
    /// export then begins anew later.
    virtual void give(const Person& person, const Receiver& receive) = 0;
    /// Forgets the person for good: what is theirs alone is deleted, what belongs to an organization stays with it, without a name, an
    /// address or a duty of theirs. Called at least once and perhaps again after it returned, so a second time must do no harm. A throw
    /// means that it is asked again later.
    virtual void forget(const Person& person) = 0;
};

} // namespace portico::interfaces
