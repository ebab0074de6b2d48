#pragma once

#include "host/plugins/lifecycle/ServiceTable.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace portico::host::plugins
{

/// Tells whoever keeps the catalog of services what there is, and notes which of them it finds complete. Used by the lifecycle thread
/// alone.
class Registration
{
public:
    /// Both outlive this. @param link may be null: then nobody keeps a catalog.
    Registration(RegistrationLink* link, ServiceTable& table) : _link(link), _table(table) {}

    /// Before `set` is published, of which `candidate` is new: who asks for its routes finds it open, with the permissions that it has now.
    /// `tell` comes after it, and says what did not go well. Not while the host starts: nobody asks yet, and half of the services would
    /// close the others. Not of the keeper itself, whose successor does not answer yet.
    void announce(const std::vector<PublishedService>& set, const Manifest& candidate, Operation& operation);
    /// What is published. True when a service is complete that was not, or the other way round: that is to be published, too. While it
    /// cannot be told, `waiting` says since when. @param before how long it has waited already
    bool tell(Operation& operation, const std::optional<Waiting>& before = {});
    std::optional<Waiting> waiting;

private:
    /// By id, with the reason.
    using Refused = std::map<std::string, std::string>;
    /// True when a service stands otherwise than before.
    bool note(const Refused& refused);

    RegistrationLink* const _link;
    ServiceTable& _table;
    bool _begun = false;
};

} // namespace portico::host::plugins
