#include "web/Pages.h"

#include "web/Tokens.h"

#include "portico/Crypto.h"
#include "portico/Problem.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace portico::identity
{

namespace
{

std::string readStyles(const std::filesystem::path& file)
{
    std::ifstream stream(file);
    std::stringstream text;
    text << tokenStyles << stream.rdbuf();
    if (!stream) throw std::runtime_error("identity's stylesheet cannot be read: " + file.string());
    return text.str();
}

std::string policy(const PageOptions& options)
{
    std::string text = "default-src 'none'; style-src 'self'; img-src 'self' https: data:; frame-ancestors 'none'; base-uri 'none'; ";
    if (!options.script.empty()) text += "script-src '" + std::string(options.script) + "'; ";
    const auto appendOrigins = [&](const std::vector<std::string>& origins)
    {
        for (const auto& origin : origins)
            if (!origin.empty()) text += ' ' + origin;
    };
    text += "form-action 'self'";
    appendOrigins(options.formTargets);
    if (!options.frameOrigins.empty()) text += "; frame-src";
    appendOrigins(options.frameOrigins);
    return text;
}

} // namespace

Pages::Pages(Core& core)
    : _core(core),
      _styles(readStyles(std::filesystem::path(core.context.host().pluginDirectory) / "web/styles/pages.css")),
      _stylesheetName("pages-" + sha256(_styles).hex().substr(0, 16) + ".css"),
      _frame(core.templates.bind<Frame>("pages/frame.html"))
{
}

void Pages::declare(Routes& routes)
{
    routes.get("/assets/{name}", access::open(), &Pages::stylesheet, this,
               {.summary = "Stylesheet of the pages", .undocumented = true, .cacheControl = "public, max-age=31536000, immutable"});
}

Response Pages::stylesheet(const Path<std::string>& name) const
{
    if (*name != _stylesheetName) throw Problem::notFound("There is nothing at this path.");
    Response response;
    response.contentType = "text/css; charset=utf-8";
    response.body = _styles;
    return response;
}

std::string Pages::localeOf(const Request& request, const PageOptions& options) const
{
    return _core.templates.localeFor(options.locales.empty() ? request.header("Accept-Language") : std::string_view(options.locales));
}

Response Pages::framed(std::string_view text, const std::string& locale, const PageOptions& options) const
{
    const auto line = text.find('\n');
    Frame frame;
    frame.title = text.substr(0, line);
    frame.content = line == std::string_view::npos ? std::string_view() : text.substr(line + 1);
    frame.stylesheet = "/assets/" + _stylesheetName;
    Response response;
    response.status = options.status;
    response.contentType = "text/html; charset=utf-8";
    response.body = _frame.render(frame, locale);
    response.cacheControl = "no-store";
    response.addHeader("Content-Security-Policy", policy(options));
    response.addHeader("Content-Language", locale);
    response.addHeader("Vary", "Accept-Language");
    for (const auto& cookie : options.cookies) response.addCookie(cookie);
    return response;
}

Response redirectTo(const std::string& location, std::vector<SetCookie> cookies)
{
    Response response;
    response.status = 303;
    response.addHeader("Location", location);
    for (const auto& cookie : cookies) response.addCookie(cookie);
    return response;
}

Response withRetryAfter(Response response, const Problem& problem)
{
    for (const auto& [name, value] : problem.headers())
        if (name == "Retry-After") response.addHeader(name, value);
    return response;
}

} // namespace portico::identity
