#pragma once

#include "host/plugins/package/Manifest.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::plugins
{

/// What a page of a plugin has that the host's security policy would not let a browser use, so that it would be found there and not here:
/// inline scripts, styles and handlers, addresses elsewhere, and files that are not there. `line:column: expected …, found …: remedy` each.
/// @param isFile whether the pages have a file, by its path without the leading `/`
std::vector<std::string> htmlFaults(std::string_view html, const std::function<bool(std::string_view)>& isFile);

/// Whether the folder of a plugin's pages is there: one that was built without them is loaded all the same.
bool hasPages(const Manifest& manifest);
/// The files of the pages, relative to their folder, with `/` between the parts, in the order of their bytes.
/// @throws std::runtime_error as `filesBelow`
std::vector<std::string> pageFiles(const Manifest& manifest);
/// What is wrong with the pages of a plugin's folder, with place and remedy: names that no address has, and what `htmlFaults` finds in
/// index.html. Empty without pages.
std::vector<std::string> pageFaults(const Manifest& manifest);

} // namespace portico::host::plugins
