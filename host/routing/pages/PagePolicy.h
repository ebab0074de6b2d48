#pragma once

#include "host/plugins/package/Manifest.h"

#include "portico/Response.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::host::routing
{

/// The operator's settings of pages.
struct PageSettings
{
    /// `server.pageOrigins`: web origins that pages may also send to, and show pictures of.
    std::vector<std::string> origins;
    /// `server.frontDoor`: what localhost answers at `/`: `page`, the id of a service that it leads to, or `off`.
    std::string frontDoor = "off";
    /// `server.frontDoorNote`: a sentence on that page.
    std::string frontDoorNote = {};
};

/// The content security policy of a service's pages: everything from their own origin, nothing inline, nothing from elsewhere.
/// @param authOrigin where people sign in, which a page may frame; empty: none
std::string pagePolicy(const plugins::ManifestPages& pages, std::string_view authOrigin, const PageSettings& settings);

/// All headers of a page that say what a browser may do with it.
void addPageHeaders(const std::string& policy, Response& response);

} // namespace portico::host::routing
