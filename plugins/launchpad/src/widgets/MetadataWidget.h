#pragma once

#include "widgets/WidgetShelf.h"

#include "portico/Instant.h"

#include <string>
#include <string_view>

namespace portico::launchpad
{

/// Returns a payload made of what the registry has about the app, as JSON text: status `degraded`, title, and a link to open the app.
std::string metadataWidget(const WidgetApp& app, const OfferedWidget& offered, std::string_view context, std::string_view organizationId,
                           Instant now);

} // namespace portico::launchpad
