#pragma once

#include "widgets/WidgetPayload.h"
#include "widgets/WidgetShelf.h"

#include "portico/Instant.h"

#include <string>

namespace portico::launchpad
{

/// Returns a payload made of what the registry has about the app, as JSON text: status `degraded`, title, and a link to open the app.
/// @param about service, widget and context of the payload
std::string metadataWidget(const WidgetApp& app, const OfferedWidget& offered, const ExpectedWidget& about, Instant now);

} // namespace portico::launchpad
