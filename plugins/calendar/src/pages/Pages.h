#pragma once

#include "pages/Embedding.h"
#include "pages/PageFiles.h"
#include "records/Host.h"
#include "texts/Words.h"

#include "portico/Logger.h"
#include "portico/WebPages.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace portico::calendar
{

/// Options of a public page beside its record.
struct PublicPageOptions
{
    int status = 200;
    std::string description = {};
    /// The address under which search engines know it; empty: none.
    std::string canonical = {};
    bool indexable = false;
    std::string accentColor = {};
    /// True for a page behind a secret link: not cached, and without referrer.
    bool secret = false;
    /// Language if the browser names none.
    std::string_view locale = {};
    Embedding embedding = {};
    /// Origin beside this one to which the page's form may redirect; empty: none.
    std::string formOrigin = {};
    /// Message to the embedding page, sent when this page loads: `{"type":…,"payload":…}`.
    std::string told = {};
    /// True if the page shows pages of this origin in frames.
    bool frames = false;
};

/// Layout data of the public pages.
struct PublicFrame
{
    std::string title;
    std::string content;
    std::string description;
    std::string canonical;
    bool indexable = false;
    std::string styles;
    std::string accentStyles;
    std::string script;
    std::string theme;
    std::string colorScheme;
    bool hideHeader = false;
    std::string embedId;
    std::string embedOrigins;
    /// Query that the script appends to addresses within the frame.
    std::string embedQuery;
    std::string told;
};

constexpr auto schemaOf(const PublicFrame*)
{
    return describe(members<&PublicFrame::title, &PublicFrame::content, &PublicFrame::description, &PublicFrame::canonical,
                            &PublicFrame::indexable, &PublicFrame::styles, &PublicFrame::accentStyles, &PublicFrame::script,
                            &PublicFrame::theme, &PublicFrame::colorScheme, &PublicFrame::hideHeader, &PublicFrame::embedId,
                            &PublicFrame::embedOrigins, &PublicFrame::embedQuery, &PublicFrame::told>());
}

template <class T>
class PublicPage;

/// The public pages: `pages/templates/pages`. They work without scripts, in light and dark, and ask for nothing more before they are seen:
/// their styles are in them. Thread-safe.
class Pages
{
public:
    /// @throws std::runtime_error that lists the faults in the files
    Pages(const HostInfo& host, Logger& logger) : Pages(host, logger, pageFiles()) {}
    void declare(Routes& routes);

    /// @throws std::runtime_error that lists missing members of the record; the plugin then fails to start
    template <class T>
    PublicPage<T> bind(std::string_view name) const
    {
        return PublicPage<T>(*this, _pages.bind<T>(name));
    }
    /// The language of an answer: the one that the frame asks for, else the best for the browser, or `otherwise` where it names none.
    std::string localeOf(const Request& request, std::string_view otherwise = {}, const Embedding& embedding = {}) const;
    const Words& words(std::string_view locale) const;
    /// Returns the words of the best locale for a language tag.
    const Words& wordsFor(std::string_view language) const { return words(_pages.templates().localeFor(language)); }
    /// Returns `Templates::findings`. Call it after every page is bound.
    std::vector<std::string> findings() const { return _pages.templates().findings(); }

    Response embedScript() const;

private:
    template <class T>
    friend class PublicPage;
    Pages(const HostInfo& host, Logger& logger, const Templates::Files& files);
    PublicFrame frameOf(const PublicPageOptions& options) const;
    portico::PageOptions optionsOf(const PublicPageOptions& options, const PublicFrame& frame) const;

    BasicWebPages<PublicFrame> _pages;
    std::string _styles;
    /// Source of `_styles` for the content security policy.
    std::string _stylesHash;
    PageAssets _assets{"/static"};
    std::string _scriptPath;
    std::string _embed;
    std::map<std::string, Words, std::less<>> _words;
};

/// Page whose template was checked against its record. Must not outlive the Pages. Thread-safe.
template <class T>
class PublicPage
{
public:
    Response render(const Request& request, const T& record, const PublicPageOptions& options = {}) const
    {
        auto frame = _pages->frameOf(options);
        auto shown = _pages->optionsOf(options, frame);
        return _page.render(request, record, shown, std::move(frame));
    }

private:
    friend class Pages;
    PublicPage(const Pages& pages, WebPage<T, PublicFrame> page) : _pages(&pages), _page(std::move(page)) {}
    const Pages* _pages;
    WebPage<T, PublicFrame> _page;
};

/// 301.
inline Response movedTo(std::string_view location) { return redirectTo(location, {}, 301); }

} // namespace portico::calendar
