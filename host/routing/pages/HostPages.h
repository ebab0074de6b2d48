#pragma once

#include "portico/Problem.h"
#include "portico/Request.h"
#include "portico/Response.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::host::routing
{

// The few pages that are the host's own. No script, one style file (stylePath), every text in them escaped.

/// Where the style file of these pages is, on every host.
inline constexpr std::string_view stylePath = "/portico/page.css";

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
    std::string origin;
    bool hasPages = false;
};
/// What runs here, and where: the page of `localhost`.
/// @param note a sentence of the operator's; empty: none
std::string frontDoorPage(const std::vector<FrontDoorEntry>& services, std::string_view note);

/// Fills the response with one of these pages.
void answerHostPage(std::string html, Response& response);

} // namespace portico::host::routing
