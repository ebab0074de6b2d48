#include "PageRoutes.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace acme_notes
{

using namespace portico;

namespace
{

std::string contentOf(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    std::ostringstream content;
    if (!file || !(content << file.rdbuf())) throw std::runtime_error("cannot read " + path.string() + ": install the plugin again");
    return content.str();
}

Response answer(std::string contentType, const std::string& content)
{
    Response response;
    response.contentType = std::move(contentType);
    response.body = content;
    return response;
}

} // namespace

PageRoutes::PageRoutes(const std::filesystem::path& folder)
    : _page(contentOf(folder / "index.html")),
      _script(contentOf(folder / "notes.js")),
      _style(contentOf(folder / "notes.css")),
      _icon(contentOf(folder / "notes.svg"))
{
}

void PageRoutes::declare(Routes& routes)
{
    // Everyone may see the page; what it shows comes from the API, with the caller's own rights.
    const RouteOptions file{.undocumented = true, .cacheControl = "no-cache"};
    routes.get("/", access::open(), &PageRoutes::page, this, file)
        .get("/notes.js", access::open(), &PageRoutes::script, this, file)
        .get("/notes.css", access::open(), &PageRoutes::style, this, file)
        .get("/notes.svg", access::open(), &PageRoutes::icon, this, file);
}

Response PageRoutes::script() const { return answer("text/javascript; charset=utf-8", _script); }

Response PageRoutes::style() const { return answer("text/css; charset=utf-8", _style); }

Response PageRoutes::icon() const { return answer("image/svg+xml", _icon); }

} // namespace acme_notes
