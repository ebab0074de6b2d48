#pragma once

#include "hosts/Host.h"
#include "pages/Embedding.h"
#include "pages/PageFiles.h"
#include "pages/Words.h"

#include "portico/Logger.h"
#include "portico/Request.h"
#include "portico/Response.h"
#include "portico/Routes.h"
#include "portico/Templates.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace portico::calendar
{

/// What goes with a page beside its record.
struct PageOptions
{
    int status = 200;
    std::string description = {};
    /// The address under which search engines know it; empty: none.
    std::string canonical = {};
    bool indexable = false;
    std::string accentColor = {};
    /// It is opened by a secret link: neither kept nor told to anybody.
    bool secret = false;
    /// Language where the browser names none.
    std::string_view locale = {};
    Embedding embedding = {};
    /// Where its form may lead to beside this origin; empty: nowhere.
    std::string formOrigin = {};
    /// What the page around the frame is told when it is shown: `{"type":…,"payload":…}`.
    std::string told = {};
    /// It shows pages of this origin in frames.
    bool frames = false;
    std::vector<std::pair<std::string, std::string>> headers = {};
};

template <class T>
class WebPage;

/// The public pages: `<name>.html` over a described record, the first line its title, in the frame of `frame.html`. They work without
/// scripts, in light and dark, and ask for nothing more before they are seen: their styles are in them. Thread-safe.
class Pages
{
public:
    /// @throws std::runtime_error that lists what is wrong in the files
    explicit Pages(Logger& logger) : Pages(logger, pageFiles()) {}
    void declare(Routes& routes);

    /// @throws std::runtime_error that lists what the record does not have: the plugin then does not start
    template <class T>
    WebPage<T> bind(std::string_view name) const
    {
        return WebPage<T>(*this, _templates.bind<T>(std::string(name) + ".html"));
    }
    /// The language of an answer: the one that the frame asks for, else the best for the browser, or `otherwise` where it names none.
    std::string localeOf(const Request& request, std::string_view otherwise = {}, const Embedding& embedding = {}) const;
    const Words& words(std::string_view locale) const;
    /// Of the best locale for a language tag.
    const Words& wordsFor(std::string_view language) const { return words(_templates.localeFor(language)); }
    /// `Templates::findings` once every page is bound.
    std::vector<std::string> findings() const { return _templates.findings(); }

    Response script(const Path<std::string>& name) const;
    Response embedScript() const;

private:
    template <class T>
    friend class WebPage;
    struct Frame
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
        /// What the script adds to addresses within the frame.
        std::string embedQuery;
        std::string told;

        friend constexpr auto schemaOf(const Frame*)
        {
            return describe(members<&Frame::title, &Frame::content, &Frame::description, &Frame::canonical, &Frame::indexable,
                                    &Frame::styles, &Frame::accentStyles, &Frame::script, &Frame::theme, &Frame::colorScheme,
                                    &Frame::hideHeader, &Frame::embedId, &Frame::embedOrigins, &Frame::embedQuery, &Frame::told>());
        }
    };
    Pages(Logger& logger, const Templates::Files& files);
    Response framed(std::string_view text, const std::string& locale, const PageOptions& options) const;

    Templates _templates;
    std::string _styles;
    /// `'sha256-…'` of the styles.
    std::string _stylesHash;
    std::string _script;
    std::string _scriptName;
    std::string _embed;
    Template<Frame> _frame;
    std::map<std::string, Words, std::less<>> _words;
};

/// A page whose names all fit its record. Lives no longer than the Pages that bound it. Thread-safe.
template <class T>
class WebPage
{
public:
    Response render(const Request& request, const T& record, const PageOptions& options = {}) const
    {
        const auto locale = _pages->localeOf(request, options.locale, options.embedding);
        return _pages->framed(_template.render(record, locale), locale, options);
    }

private:
    friend class Pages;
    WebPage(const Pages& pages, Template<T> content) : _pages(&pages), _template(std::move(content)) {}
    const Pages* _pages;
    Template<T> _template;
};

/// 301, or 303 after a form.
Response redirectTo(int status, const std::string& location);

} // namespace portico::calendar
