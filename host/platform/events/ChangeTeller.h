#pragma once

#include "portico/EventStream.h"
#include "portico/Events.h"

#include <string>

namespace portico::host::platform
{

/// JSON text of those members of an event's data that are an id or a list of ids by their name and their form: what is told of a change.
/// The organization is left out, as who reads it knows that.
std::string idsOf(const Event& event);

/// Tells the open pages of the event's organization, if it has one (sdk/include/portico/Changes.h).
void tellChange(Channels& channels, const Event& event);

} // namespace portico::host::platform
