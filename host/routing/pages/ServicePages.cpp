#include "host/routing/pages/ServicePages.h"

#include "host/base/Digests.h"
#include "host/base/ReadFiles.h"
#include "host/routing/pages/HostPages.h"

#include "portico/Problem.h"

#include <algorithm>
#include <set>
#include <utility>

namespace portico::host::routing
{

namespace
{

/// Siblings of a file, which are asked for by its name.
bool isCoded(std::string_view path) noexcept { return path.ends_with(".br") || path.ends_with(".gz"); }

/// Pages are built once and installed under many names: only the host knows the origin for sign-in.
std::string indexOf(const plugins::PageBuild& build, std::string_view authOrigin)
{
    constexpr std::string_view mark = "{auth_url}";
    auto text = contentOf(build.folder / "index.html").value_or("");
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + authOrigin.size()))
        text.replace(at, mark.size(), authOrigin);
    return text;
}

[[noreturn]] void refuse() { throw Problem::notFound("There is nothing at this address."); }

} // namespace

ServicePages::ServicePages(const plugins::Manifest& manifest, const std::vector<plugins::PageBuild>& builds, std::string policy,
                           std::string_view authOrigin)
    : _name(manifest.name), _home(manifest.web->home), _policy(std::move(policy))
{
    std::set<std::string> paths;
    for (const auto& build : builds)
    {
        const bool inForce = &build == &builds.front();
        _builds.emplace_back(build.folder.string());
        for (const auto& file : build.files)
            if (!isCoded(file) && file != "index.html" && (inForce || http::StaticFiles::hasContentHash(file))) paths.insert("/" + file);
    }
    _paths.assign(paths.begin(), paths.end());
    if (builds.empty()) return;
    _index = indexOf(builds.front(), authOrigin);
    _indexTag = '"' + sha256Hex(_index).substr(0, 32) + '"';
}

void ServicePages::answerPage(const Request& request, Response& response) const
{
    if (namesFile(request.path)) refuse();
    if (_builds.empty()) return answerHostPage(unbuiltPage(_name), response);
    response.contentType = "text/html; charset=utf-8";
    response.cacheControl = "no-cache";
    response.etag = _indexTag;
    response.body = _index;
    addPageHeaders(_policy, response);
}

void ServicePages::answerHome(Response& response) const
{
    if (_builds.empty()) return answerHostPage(unbuiltPage(_name), response);
    response.status = 303;
    response.cacheControl = "no-cache";
    response.addHeader("Location", _home);
}

void ServicePages::answerFile(const Request& request, Response& response) const
{
    if (!std::ranges::any_of(_builds, [&](const auto& build) { return build.serve(request, request.path, response); })) refuse();
    response.addHeader("Cross-Origin-Resource-Policy", "same-origin");
}

} // namespace portico::host::routing
