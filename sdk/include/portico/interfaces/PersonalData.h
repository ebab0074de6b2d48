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
    /// Their address, also if the account was already deleted. For data that is stored by address instead of by id.
    std::string email;
    /// Organizations of which they are or were a member: data that is stored by organization exists only there.
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
    /// Receives one record: its kind (`notes`), and the text of a JSON object. Both views are valid during the call. If it throws, `give`
    /// ends.
    using Receiver = std::function<void(std::string_view kind, std::string_view json)>;

    /// Streams the person's data, one record at a time, so that memory does not grow. Excludes records of the organizations they work for,
    /// includes what they wrote there. No secrets.
    /// @throws database errors: the export then restarts later.
    virtual void give(const Person& person, const Receiver& receive) = 0;
    /// Deletes the person's data permanently. Data of an organization is kept, but without the person's name, address or
    /// responsibilities. May be called again after it returned, so it must be idempotent. After an exception it is called
    /// again later.
    virtual void forget(const Person& person) = 0;
};

} // namespace portico::interfaces
