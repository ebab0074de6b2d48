#pragma once

#include "host/http/StaticFiles.h"
#include "host/plugins/runtime/Contracts.h"
#include "host/routing/pages/PagePolicy.h"

#include "portico/Request.h"
#include "portico/Response.h"

#include <string>
#include <vector>

namespace portico::host::routing
{

/// The pages of one service: the build in force, and the files of earlier ones that tabs may still ask for. Immutable, and it opens files:
/// any number of threads may ask, but none that must not wait.
class ServicePages
{
public:
    /// @param authOrigin origin of the sign-in pages, which replaces `{auth_url}` in index.html. Empty: none
    /// @throws std::system_error for a build whose folder cannot be opened
    ServicePages(const plugins::Manifest& manifest, const std::vector<plugins::PageBuild>& builds, std::string policy,
                 std::string_view authOrigin);

    /// Returns the paths of all files, each once. Of earlier builds only those whose name contains a hash.
    const std::vector<std::string>& paths() const noexcept { return _paths; }

    /// Answers with index.html, or reports that there is none. @throws Problem 404 for a path that looks like a file's
    void answerPage(const Request& request, Response& response) const;
    /// Leads to where the service begins.
    void answerHome(Response& response) const;
    /// One of `paths`.
    void answerFile(const Request& request, Response& response) const;

private:
    std::string _name;
    std::string _home;
    std::string _policy;
    std::string _index;
    std::string _indexTag;
    std::vector<http::StaticFiles> _builds;
    std::vector<std::string> _paths;
};

} // namespace portico::host::routing
