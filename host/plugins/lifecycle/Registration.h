#pragma once

#include "host/plugins/lifecycle/ServiceTable.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace portico::host::plugins
{

/// Reports the services to the provider of the service catalog, and stores which of them it rejects. Used by the lifecycle thread
/// only.
class Registration
{
public:
    /// Both outlive this. @param link may be null: then there is no catalog.
    Registration(RegistrationLink* link, ServiceTable& table) : _link(link), _table(table) {}

    /// Called before `set` with the new `candidate` is published, so that its routes are open with their current permissions. `tell`
    /// follows it and reports failures. Not called while the host starts, when requests do not arrive yet and the half set would close
    /// other services. Not called for the catalog's own service, whose successor does not answer yet.
    void announce(const std::vector<PublishedService>& set, const Manifest& candidate, Operation& operation);
    /// Reports the published set. Returns true if a service became complete or incomplete: the set must then be published again. While the
    /// report fails, `waiting` has the time since then. @param before wait of earlier attempts
    bool tell(Operation& operation, const std::optional<Waiting>& before = {});
    std::optional<Waiting> waiting;

private:
    /// By id, with the reason.
    using Refused = std::map<std::string, std::string>;
    /// Returns true if the state of a service changed.
    bool note(const Refused& refused);

    RegistrationLink* const _link;
    ServiceTable& _table;
    bool _begun = false;
};

} // namespace portico::host::plugins
