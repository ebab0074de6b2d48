#pragma once

#include "common/Core.h"

#include "portico/Cookie.h"
#include "portico/Problem.h"
#include "portico/Request.h"
#include "portico/Response.h"
#include "portico/Routes.h"
#include "portico/Templates.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// What goes with a page beside its record.
struct PageOptions
{
    int status = 200;
    /// Origins that the answer to its form may lead to: browsers hold the whole chain of redirects against `form-action`.
    std::vector<std::string> formTargets = {};
    /// Origins of pages that are shown in frames.
    std::vector<std::string> frameOrigins = {};
    std::vector<SetCookie> cookies = {};
    /// `sha256-…` of the one script in it.
    std::string_view script = {};
    /// Languages that were asked for (`ui_locales`); empty: those of the browser.
    std::string locales = {};
};

template <class T>
class WebPage;

/// Identity's pages: `web/templates/pages/<name>.html` over a described record, the first line its title, in the frame of
/// `pages/frame.html`; texts are `pages.<name>.…` in `web/messages`. They work without scripts, in light and dark, and load nothing but the
/// one stylesheet, which is made of the tokens and of `web/styles/pages.css`. Thread-safe.
class Pages
{
public:
    explicit Pages(Core& core);
    void declare(Routes& routes);

    /// @throws std::runtime_error that lists what the record does not have: the plugin then does not start
    template <class T>
    WebPage<T> bind(std::string_view name) const
    {
        return WebPage<T>(*this, _core.templates.bind<T>("pages/" + std::string(name) + ".html"));
    }

    Response stylesheet(const Path<std::string>& name) const;

private:
    template <class T>
    friend class WebPage;
    struct Frame
    {
        std::string title;
        std::string content;
        std::string stylesheet;

        friend constexpr auto schemaOf(const Frame*) { return describe(members<&Frame::title, &Frame::content, &Frame::stylesheet>()); }
    };
    std::string localeOf(const Request& request, const PageOptions& options) const;
    Response framed(std::string_view text, const std::string& locale, const PageOptions& options) const;

    Core& _core;
    std::string _styles;
    std::string _stylesheetName;
    Template<Frame> _frame;
};

/// A page whose names all fit its record. Lives no longer than the Pages that bound it. Thread-safe.
template <class T>
class WebPage
{
public:
    Response render(const Request& request, const T& record, const PageOptions& options = {}) const
    {
        const auto locale = _pages->localeOf(request, options);
        return _pages->framed(_template.render(record, locale), locale, options);
    }

private:
    friend class Pages;
    WebPage(const Pages& pages, Template<T> content) : _pages(&pages), _template(std::move(content)) {}
    const Pages* _pages;
    Template<T> _template;
};

/// A page in place of a problem says when to come again as the problem would.
Response withRetryAfter(Response response, const Problem& problem);

/// 303, with cookies.
Response redirectTo(const std::string& location, std::vector<SetCookie> cookies = {});

} // namespace portico::identity
