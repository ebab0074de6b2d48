#include "pages/Pages.h"

#include "pages/Accent.h"

#include "portico/Crypto.h"

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

/// Removes the indentation of a style sheet, which is part of every page.
std::string withoutIndentation(std::string_view styles)
{
    std::string text;
    bool atLineStart = true;
    for (const char c : styles)
    {
        if (atLineStart && c == ' ') continue;
        atLineStart = c == '\n';
        text += c;
    }
    return text;
}
} // namespace

Pages::Pages(const HostInfo& host, Logger& logger, const Templates::Files& files)
    : _pages(host, Templates(textsOf(files), logger)),
      _styles(withoutIndentation(std::string(tokenStyles()) + files.at("styles/pages.css"))),
      _stylesHash(contentHash(_styles)),
      _scriptPath(_assets.add("booking.js", joined(files, "page", {"around", "dates", "server", "booking"}))),
      _embed("(() => {\n\"use strict\";\n" + joined(files, "embed", {"texts", "frame", "inline", "popup", "floating", "start"}) + "})();\n")
{
    const auto words = _pages.templates().bind<NoValues>("words.txt");
    for (const auto& locale : _pages.templates().locales()) _words.emplace(locale, Words(words.render({}, locale)));
}

void Pages::declare(Routes& routes)
{
    _assets.declare(routes);
    routes
        .get("/embed.js", access::open(), &Pages::embedScript, this,
             {.summary = "Script that embeds booking pages", .undocumented = true, .cacheControl = "public, max-age=3600"})
        .get("/embed/v1.js", access::open(), &Pages::embedScript, this,
             {.summary = "Versioned script that embeds booking pages",
              .undocumented = true,
              .cacheControl = "public, max-age=31536000, immutable"});
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
    return _pages.localeOf(request, {.locale = embedding.locale, .otherLocale = std::string(otherwise)});
}

const Words& Pages::words(std::string_view locale) const { return _words.find(locale)->second; }

PublicFrame Pages::frameOf(const PublicPageOptions& options) const
{
    const auto& embedding = options.embedding;
    PublicFrame frame;
    frame.description = options.description;
    frame.canonical = options.canonical;
    frame.indexable = options.indexable;
    frame.styles = _styles;
    frame.accentStyles = accentStyles(embedding.accentColor.empty() ? options.accentColor : embedding.accentColor);
    frame.script = _scriptPath;
    frame.theme = embedding.theme;
    frame.colorScheme = embedding.theme.empty() ? "light dark" : embedding.theme;
    frame.hideHeader = embedding.hideHeader;
    frame.embedId = embedding.embedId;
    for (const auto& origin : embedding.origins) frame.embedOrigins += (frame.embedOrigins.empty() ? "" : " ") + origin;
    frame.embedQuery = withQuery({}, embedding.fields);
    if (!embedding.embedId.empty()) frame.told = options.told;
    return frame;
}

PageOptions Pages::optionsOf(const PublicPageOptions& options, const PublicFrame& frame) const
{
    const auto& embedding = options.embedding;
    PageOptions shown{.status = options.status, .locale = embedding.locale, .otherLocale = std::string(options.locale)};
    shown.policy.styles = {_stylesHash};
    if (!frame.accentStyles.empty()) shown.policy.styles.push_back(contentHash(frame.accentStyles));
    shown.policy.scripts = shown.policy.connections = {"'self'"};
    if (options.frames) shown.policy.frames = {"'self'"};
    shown.policy.formTargets = {options.formOrigin};
    shown.policy.ancestors = embedding.origins;
    shown.policy.ancestors.insert(shown.policy.ancestors.begin(), "'self'");
    if (embedding.origins.empty()) shown.headers.emplace_back("X-Frame-Options", "SAMEORIGIN");
    shown.headers.emplace_back("Referrer-Policy", options.secret ? "no-referrer" : "strict-origin-when-cross-origin");
    return shown;
}

} // namespace portico::calendar
