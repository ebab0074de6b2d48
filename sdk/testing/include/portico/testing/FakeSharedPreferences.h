#pragma once

#include "portico/Json.h"
#include "portico/interfaces/SharedPreferences.h"

#include <map>
#include <string>
#include <string_view>

namespace portico::testing
{

/// Shared preferences without identity, for `FakeServices::offer<interfaces::SharedPreferences>`. Merges the members of the object, not
/// those of nested objects. Thread-safe for callers that are different people.
class FakeSharedPreferences final : public interfaces::SharedPreferences
{
public:
    std::string read(const Caller& caller) override
    {
        const auto found = shared.find(caller.principalId);
        return found == shared.end() ? std::string("{}") : toJson(found->second);
    }
    std::string merge(const Caller& caller, std::string_view patch) override
    {
        auto& members = shared[caller.principalId];
        for (const auto& [name, value] : fromJson<std::map<std::string, Json>>(patch))
            if (value.text == "null")
                members.erase(name);
            else
                members[name] = value;
        return toJson(members);
    }

    /// Members of the object, by person.
    std::map<std::string, std::map<std::string, Json>> shared;
};

} // namespace portico::testing
