#pragma once

#include "portico/Caller.h"
#include "portico/Services.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::interfaces
{

/// A resource that an API key can be restricted to.
struct BindableResource
{
    std::string id;
    /// Display name.
    std::string label;
};

/// Resources of a service that API keys can be restricted to, as its manifest lists their types (`bindableResources`). Identity calls it
/// when a user makes a key. Every service with such types provides it (`"many": true`).
class BindableResources : public ServiceInterface
{
public:
    static constexpr std::string_view interfaceName = "portico.bindable-resources";
    static constexpr std::string_view interfaceVersion = "1.0";

    /// Resources that the caller may read and whose label contains the words (none: all), by id, after `after` (empty: from the first), at
    /// most `limit`. @param caller as if they called a route of the service. @throws Problem 403, 404 for an unknown type;
    /// DatabaseError
    virtual std::vector<BindableResource> list(const Caller& caller, std::string_view type, std::string_view words, std::string_view after,
                                               std::size_t limit) = 0;
    /// Returns one resource; empty if it does not exist or the caller may not read it. @throws as list
    virtual std::optional<BindableResource> find(const Caller& caller, std::string_view type, std::string_view id) = 0;
};

} // namespace portico::interfaces
