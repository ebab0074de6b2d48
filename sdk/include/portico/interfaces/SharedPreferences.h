#pragma once

#include "portico/Caller.h"
#include "portico/Services.h"

#include <string>
#include <string_view>

namespace portico::interfaces
{

/// Preferences of a person that all services share (theme, density, locale), equal to the member `shared` of
/// `GET` and `PATCH /api/auth/me/preferences`. Thread-safe.
class SharedPreferences : public ServiceInterface
{
public:
    static constexpr std::string_view interfaceName = "identity.preferences";
    static constexpr std::string_view interfaceVersion = "1.0";
    /// JSON text of an object, `{}` until something is set. @throws DatabaseError
    virtual std::string read(const Caller& caller) = 0;
    /// Merges a patch (RFC 7396) into the object. @param patch JSON text of an object @return the object afterwards
    /// @throws Problem 403 `permission_denied` for a caller that is no person, 413 for more than 16 KiB
    virtual std::string merge(const Caller& caller, std::string_view patch) = 0;
};

} // namespace portico::interfaces
