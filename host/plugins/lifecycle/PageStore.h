#pragma once

#include "host/plugins/package/FileList.h"
#include "host/plugins/package/Manifest.h"
#include "host/plugins/runtime/Contracts.h"

#include "portico/Clock.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace portico::host::plugins
{

/// How many builds of a service's pages are kept, and for how long.
struct PageLimits
{
    std::size_t builds = 3;
    std::uintmax_t bytes = 64ULL * 1024 * 1024;
    /// Counted from when the build was replaced, and looked at when the next one comes or the host starts.
    std::chrono::hours age{14 * 24};
};

/// The folder of the pages that the host serves, `<state>/pages/<service>/<build>/`, open to the host's user only; a build is named after
/// the hash of its files. The last ones stay, over restarts too: a browser tab from before a reload asks for files that the new build does
/// not have. Used by the lifecycle thread.
class PageStore
{
public:
    /// Makes the folder. @throws std::system_error
    PageStore(const std::filesystem::path& stateDirectory, const Clock& clock, PageLimits limits = {});

    /// Keeps the pages of a verified copy of a plugin beside those that are there. Builds of an earlier run are read once more before they
    /// count.
    /// @returns that build, then those that served before and are within the limits, the newest first; nothing where the copy has no pages
    /// @throws std::runtime_error that names what cannot be written, and the remedy; DependencyUnavailable where only room is missing
    std::vector<PageBuild> keep(const Manifest& manifest, const FileList& copied);
    /// The first of these builds serves now: builds beyond the limits are removed. A failed removal is retried the next time.
    void served(const std::vector<PageBuild>& builds);

private:
    /// The build, and those that served before it.
    std::vector<PageBuild> within(const std::filesystem::path& current) const;
    void verify(const std::filesystem::path& service);

    std::filesystem::path _root;
    const Clock& _clock;
    PageLimits _limits;
    std::set<std::string, std::less<>> _verified;
};

} // namespace portico::host::plugins
