#pragma once

#include "portico/EventStream.h"
#include "portico/Events.h"

#include <string>

namespace portico::host::platform
{

/// JSON text of the members of an event's data that are ids or lists of ids, by name and form: the content of a change. The organization is
/// left out, since the reader knows it.
std::string idsOf(const Event& event);

/// Notifies the open pages of the event's organization, if it has one (sdk/include/portico/Changes.h).
void publishChange(Channels& channels, const Event& event);

} // namespace portico::host::platform
