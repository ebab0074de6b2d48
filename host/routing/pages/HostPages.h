#pragma once

#include "portico/Problem.h"
#include "portico/Request.h"
#include "portico/Response.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::host::routing
{

// The few pages that are the host's own, in English or German as the browser wants. No script, one style file (stylePath), every text in
// them escaped.

/// Where the style file of these pages is, on every host.
inline constexpr std::string_view stylePath = "/portico/page.css";

/// Whether a path ends in the name of a file: a dot, and letters or digits to the end.
bool namesFile(std::string_view path) noexcept;
/// Whether somebody looks at this address in a browser: a navigation by GET to what is no API, no health and no file. They get a page where
/// a program gets a problem document.
bool isNavigation(const Request& request) noexcept;
/// Puts a page in place of a problem document, for what people meet by following links: 404, 410, 429 and 5xx. Status and headers stay; a
/// 503 tries again after its `Retry-After`.
void showAsPage(const Problem& problem, const Request& request, Response& response);

/// Of a service that was built without its pages.
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
/// What runs here, and where: the page of `localhost`.
std::string frontDoorPage(const FrontDoor& door, const Request& request);

/// Fills the response with one of these pages.
void answerHostPage(std::string html, Response& response);

} // namespace portico::host::routing
