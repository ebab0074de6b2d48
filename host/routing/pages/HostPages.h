#pragma once

#include "portico/Problem.h"
#include "portico/Request.h"
#include "portico/Response.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::host::routing
{

// The host's own pages, in English or German by the browser's preference. No script, one style file (stylePath), all texts
// escaped.

/// Where the style file of these pages is, on every host.
inline constexpr std::string_view stylePath = "/portico/page.css";

/// Returns true if a path ends in the name of a file: a dot, then letters or digits to the end.
bool namesFile(std::string_view path) noexcept;
/// Returns true if a browser navigates here: a GET of a path that is no API, health check or file. Browsers get a page instead of a problem
/// document.
bool isNavigation(const Request& request) noexcept;
/// Puts a page in place of a problem document, for what people meet by following links: 400, 403, 404, 410, 429 and 5xx. Status and headers
/// stay; a 503 tries again after its `Retry-After`.
void showAsPage(const Problem& problem, const Request& request, Response& response);

/// Page of a service that was built without its pages.
std::string unbuiltPage(std::string_view serviceName);

/// A service as the front door shows it.
struct FrontDoorEntry
{
    std::string name;
    /// A sentence of its manifest, in English; empty: none.
    std::string description;
    std::string origin;
    bool hasPages = false;
};
struct FrontDoor
{
    std::vector<FrontDoorEntry> services;
    /// A sentence of the operator's; empty: none.
    std::string note;
};
/// The page of `localhost`: the services of this host with their addresses.
std::string frontDoorPage(const FrontDoor& door, const Request& request);

/// Fills the response with one of these pages.
void answerHostPage(std::string html, Response& response);

} // namespace portico::host::routing
