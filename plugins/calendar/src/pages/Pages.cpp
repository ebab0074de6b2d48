#include "pages/Pages.h"

#include "pages/Accent.h"

#include "portico/Crypto.h"
#include "portico/Problem.h"

namespace portico::calendar
{

namespace
{
struct NoValues
{
};

constexpr auto schemaOf(const NoValues*) { return describe(); }

/// Templates and messages: the others are none of theirs.
Templates::Files textsOf(Templates::Files files)
{
    std::erase_if(files, [](const auto& file) { return !file.first.starts_with("templates/") && !file.first.starts_with("messages/"); });
    return files;
}

/// Files of one idea each, as one script.
std::string joined(const Templates::Files& files, std::string_view folder, std::initializer_list<std::string_view> names)
{
    std::string script;
    for (const auto name : names) script.append(files.at("scripts/" + std::string(folder) + "/" + std::string(name) + ".js")).append("\n");
    return script;
}

/// As a Content-Security-Policy names it: the bytes in base64 with padding.
std::string sourceHash(std::string_view text)
{
    auto hash = toBase64Url(sha256(text).bytes());
    for (auto& c : hash)
    {
        if (c == '-') c = '+';
        if (c == '_') c = '/';
    }
    return "'sha256-" + hash + "='";
}
} // namespace

Pages::Pages(Logger& logger, const Templates::Files& files)
    : _templates(textsOf(files), logger),
      _styles(std::string(tokenStyles()) + files.at("styles/pages.css")),
      _stylesHash(sourceHash(_styles)),
      _script(joined(files, "page", {"around", "dates", "server", "booking"})),
      _scriptName("booking-" + sha256(_script).hex().substr(0, 16) + ".js"),
      _embed("(() => {\n\"use strict\";\n" + joined(files, "embed", {"texts", "frame", "inline", "popup", "floating", "start"}) +
             "})();\n"),
      _frame(_templates.bind<Frame>("frame.html"))
{
    const auto words = _templates.bind<NoValues>("words.txt");
    for (const auto& locale : _templates.locales()) _words.emplace(locale, Words(words.render({}, locale)));
}

void Pages::declare(Routes& routes)
{
    routes
        .get("/static/{name}", access::open(), &Pages::script, this,
             {.summary = "Script of the pages", .undocumented = true, .cacheControl = "public, max-age=31536000, immutable"})
        .get("/embed.js", access::open(), &Pages::embedScript, this,
             {.summary = "Shows booking pages in others", .undocumented = true, .cacheControl = "public, max-age=3600"})
        .get("/embed/v1.js", access::open(), &Pages::embedScript, this,
             {.summary = "The same, of this version", .undocumented = true, .cacheControl = "public, max-age=31536000, immutable"});
}

Response Pages::script(const Path<std::string>& name) const
{
    if (*name != _scriptName) throw Problem::notFound("There is nothing at this path.");
    Response response;
    response.contentType = "text/javascript; charset=utf-8";
    response.body = _script;
    return response;
}

Response Pages::embedScript() const
{
    Response response;
    response.contentType = "text/javascript; charset=utf-8";
    response.body = _embed;
    response.etag = '"' + sha256(_embed).hex().substr(0, 32) + '"';
    response.addHeader("Cross-Origin-Resource-Policy", "cross-origin");
    return response;
}

std::string Pages::localeOf(const Request& request, std::string_view otherwise, const Embedding& embedding) const
{
    if (!embedding.locale.empty()) return _templates.localeFor(embedding.locale);
    const auto asked = request.header("Accept-Language");
    return _templates.localeFor(asked.empty() ? otherwise : asked);
}

const Words& Pages::words(std::string_view locale) const { return _words.find(locale)->second; }

Response Pages::framed(std::string_view text, const std::string& locale, const PageOptions& options) const
{
    const auto line = text.find('\n');
    Frame frame;
    frame.title = text.substr(0, line);
    frame.content = line == std::string_view::npos ? std::string_view() : text.substr(line + 1);
    frame.description = options.description;
    frame.canonical = options.canonical;
    frame.indexable = options.indexable;
    frame.styles = _styles;
    const auto& embedding = options.embedding;
    frame.accentStyles = accentStyles(embedding.accentColor.empty() ? options.accentColor : embedding.accentColor);
    frame.script = "/static/" + _scriptName;
    frame.theme = embedding.theme;
    frame.colorScheme = embedding.theme.empty() ? "light dark" : embedding.theme;
    frame.hideHeader = embedding.hideHeader;
    frame.embedId = embedding.embedId;
    for (const auto& origin : embedding.origins) frame.embedOrigins += (frame.embedOrigins.empty() ? "" : " ") + origin;
    frame.embedQuery = withQuery({}, embedding.fields);
    if (!embedding.embedId.empty()) frame.told = options.told;
    Response response;
    response.status = options.status;
    response.contentType = "text/html; charset=utf-8";
    response.body = _frame.render(frame, locale);
    response.cacheControl = "no-store";
    const auto accent = frame.accentStyles.empty() ? std::string() : " " + sourceHash(frame.accentStyles);
    std::string ancestors;
    for (const auto& origin : embedding.origins) ancestors += " " + origin;
    response.addHeader("Content-Security-Policy", "default-src 'none'; style-src " + _stylesHash + accent +
                                                      "; script-src 'self'; connect-src 'self'; img-src 'self' https: data:; " +
                                                      (options.frames ? "frame-src 'self'; " : "") + "form-action 'self'" +
                                                      (options.formOrigin.empty() ? "" : " " + options.formOrigin) +
                                                      "; base-uri 'none'; frame-ancestors 'self'" + ancestors);
    if (ancestors.empty()) response.addHeader("X-Frame-Options", "SAMEORIGIN");
    response.addHeader("Referrer-Policy", options.secret ? "no-referrer" : "strict-origin-when-cross-origin");
    response.addHeader("Content-Language", locale);
    response.addHeader("Vary", "Accept-Language");
    for (const auto& [name, value] : options.headers) response.addHeader(name, value);
    return response;
}

Response redirectTo(int status, const std::string& location)
{
    Response response;
    response.status = status;
    response.addHeader("Location", location);
    return response;
}

} // namespace portico::calendar
