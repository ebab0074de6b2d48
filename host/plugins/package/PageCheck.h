#pragma once

#include "host/plugins/package/Manifest.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::plugins
{

/// Finds faults of a page under the host's content security policy, which otherwise show only in a browser: inline scripts, styles and
/// handlers, foreign addresses, and missing files. Each is `line:column: expected …, found …: remedy`.
/// @param isFile whether the pages have a file, by its path without the leading `/`
std::vector<std::string> htmlFaults(std::string_view html, const std::function<bool(std::string_view)>& isFile);

/// Returns true if the folder of a plugin's pages exists: a plugin that was built without them is still loaded.
bool hasPages(const Manifest& manifest);
/// The files of the pages, relative to their folder, with `/` between the parts, in the order of their bytes.
/// @throws std::runtime_error as `filesBelow`
std::vector<std::string> pageFiles(const Manifest& manifest);
/// Faults of the pages in a plugin's folder, with place and remedy: names that no URL can have, and `htmlFaults` of index.html. Empty
/// without pages.
std::vector<std::string> pageFaults(const Manifest& manifest);

} // namespace portico::host::plugins
