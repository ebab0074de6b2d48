#pragma once

#include "portico/Cookie.h"
#include "portico/Form.h"
#include "portico/HostInfo.h"
#include "portico/Response.h"
#include "portico/Routes.h"
#include "portico/Templates.h"

#include <chrono>
#include <concepts>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace portico
{

/// Returns `'sha256-…'`, as a Content-Security-Policy names a script or a style that is part of the page.
PORTICO_API std::string contentHash(std::string_view text);

/// Content-Security-Policy of a page (CSP level 3). Each list has sources; an empty one allows nothing. Empty sources are left out.
struct PORTICO_API PagePolicy
{
    std::vector<std::string> styles = {"'self'"};
    std::vector<std::string> scripts = {};
    std::vector<std::string> images = {"'self'", "https:", "data:"};
    /// Origins that scripts may call.
    std::vector<std::string> connections = {};
    /// Pages that this one shows in frames.
    std::vector<std::string> frames = {};
    /// Origins to which the answer to a form may lead: browsers check the whole chain of redirects against `form-action`. `'self'` is
    /// always allowed.
    std::vector<std::string> formTargets = {};
    /// Pages that may show this one in a frame.
    std::vector<std::string> ancestors = {};

    std::string text() const;
};

/// Status, language, policy and headers of a page.
struct PageOptions
{
    int status = 200;
    /// Language that was asked for, as in `Accept-Language`; empty: that of the browser.
    std::string locale = {};
    /// Language where the browser names none; empty: the fallback of the templates.
    std::string otherLocale = {};
    PagePolicy policy = {};
    std::vector<SetCookie> cookies = {};
    std::vector<std::pair<std::string, std::string>> headers = {};
};

/// Record of the frame of every page. A plugin may have its own: a described record with `title` and `content`, which are set for each page
/// and are HTML (`{{{title}}}`).
struct PageFrame
{
    std::string title = {};
    std::string content = {};
    /// Path of the stylesheet.
    std::string stylesheet = {};

    friend constexpr auto schemaOf(const PageFrame*)
    {
        return describe(members<&PageFrame::title, &PageFrame::content, &PageFrame::stylesheet>());
    }
};

/// Content of a file of the plugin's folder. @throws std::runtime_error that names the file
PORTICO_API std::string readPageFile(const std::filesystem::path& file);

/// Stylesheets, scripts and pictures of pages. Their paths change with their content, so browsers keep them for a year. Add files while
/// the plugin starts; afterwards all threads may read.
class PORTICO_API PageAssets
{
public:
    explicit PageAssets(std::string_view folder = "/assets") : _folder(folder) {}
    PageAssets(const PageAssets&) = delete;
    PageAssets& operator=(const PageAssets&) = delete;

    /// Adds a file (`pages.css`, `.js`, `.svg`) and returns its path, `/assets/pages-0123456789abcdef.css`.
    /// @throws std::invalid_argument for another ending
    std::string add(std::string_view name, std::string text);
    /// Serves all files.
    void declare(Routes& routes);

    Response serve(const Path<std::string>& name) const;

private:
    struct Asset
    {
        std::string_view contentType;
        std::string text;
    };
    std::string _folder;
    std::map<std::string, Asset, std::less<>> _assets;
};

/// Tokens of forms, so that no other site can send a form for a user: derived from a cookie of the browser and the purpose of the form.
/// All hosts create the same tokens (`http.cursorKeyFile`). Thread-safe.
class PORTICO_API FormTokens
{
public:
    /// @param cookie name of the cookie; the prefix `__Host-` is added unless the host is plain http
    explicit FormTokens(const HostInfo& host, std::string_view cookie = "form", std::chrono::seconds life = std::chrono::hours(24));

    struct Made
    {
        std::string token;
        /// Set with the page's response.
        SetCookie cookie;
    };
    /// Other pages of the same browser stay valid.
    Made make(const Request& request, std::string_view purpose) const;
    bool matches(const Request& request, std::string_view purpose, std::string_view token) const;
    /// @throws Problem 403 `form_expired` for a token that is missing, foreign or older than the cookie.
    void require(const Request& request, std::string_view purpose, std::string_view token) const;

private:
    std::string tokenFor(const Request& request, std::string_view purpose, std::string_view browser) const;

    std::string _cookie;
    std::chrono::seconds _life;
    bool _secure;
};

/// 303, or another redirect, with cookies.
PORTICO_API Response redirectTo(std::string_view location, std::vector<SetCookie> cookies = {}, int status = 303);

/// Adds the Retry-After of a problem to the page that is shown in its place.
PORTICO_API Response withRetryAfter(Response response, const Problem& problem);

namespace detail
{

PORTICO_API std::string pageLocale(const Templates& templates, const Request& request, const PageOptions& options);
/// Cuts a rendered page into its first line, the title, and the rest.
PORTICO_API std::pair<std::string, std::string> titleAndContent(std::string_view page);
PORTICO_API Response pageResponse(std::string html, const std::string& locale, const PageOptions& options);
/// Puts the texts of a problem into the fields of a form and into `whole`.
PORTICO_API void explainProblem(const Templates& templates, std::string_view page, std::string_view locale, const Problem& problem,
                                const Type& form, FormField* fields, std::string& whole);

} // namespace detail

template <class Frame>
class BasicWebPages;

/// A page whose names all fit its record. Lives no longer than the pages that bound it. Thread-safe.
template <class View, class Frame = PageFrame>
class WebPage
{
public:
    Response render(const Request& request, const View& view, const PageOptions& options = {}) const
    {
        return render(request, view, options, _pages->frame());
    }
    /// Renders with another frame.
    Response render(const Request& request, const View& view, const PageOptions& options, Frame frame) const
    {
        const auto locale = detail::pageLocale(_pages->templates(), request, options);
        std::tie(frame.title, frame.content) = detail::titleAndContent(_template.render(view, locale));
        return detail::pageResponse(_pages->rendered(frame, locale), locale, options);
    }

private:
    template <class F>
    friend class BasicWebPages;
    WebPage(const BasicWebPages<Frame>& pages, Template<View> content) : _pages(&pages), _template(std::move(content)) {}
    const BasicWebPages<Frame>* _pages;
    Template<View> _template;
};

/// A page with a form. Lives no longer than the pages that bound it. Thread-safe.
///
/// Texts of problems are messages of the page: for a field `email` and the code `invalid_email` the first that the catalog has of
/// `pages.<page>.problem.email.invalid_email`, `pages.<page>.problem.invalid_email`, `problem.invalid_email` and
/// `pages.<page>.problem.other`, else the English message of the problem. The form as a whole gets the text of the problem's own code, or
/// of its status (`pages.<page>.problem.429`); `other` only where the fields do not say it all.
template <class View, class Input, class Frame = PageFrame>
class FormPage
{
public:
    /// Shows the page with the token of its form.
    Response show(const Request& request, View view, PageOptions options = {}) const
    {
        auto made = _pages->tokens().make(request, _purpose);
        (view.*_form).token = std::move(made.token);
        options.cookies.push_back(std::move(made.cookie));
        return _page.render(request, view, options);
    }

    /// Shows the page again with what was typed, the status of the problem and its texts. @throws Problem the problem, if it is 500 or
    /// above
    Response refuse(const Request& request, const Form<Input>& form, View view, const Problem& problem, PageOptions options = {}) const
    {
        (view.*_form).show(form);
        return refuse(request, std::move(view), problem, std::move(options));
    }
    /// The same with the fields that the view has.
    Response refuse(const Request& request, View view, const Problem& problem, PageOptions options = {}) const
    {
        if (problem.status() >= 500) throw problem;
        auto& shown = view.*_form;
        const auto locale = detail::pageLocale(_pages->templates(), request, options);
        detail::explainProblem(_pages->templates(), _name, locale, problem, detail::typeOf<Input>, shown.fields.values.data(),
                               shown.problem);
        options.status = problem.status();
        return withRetryAfter(show(request, std::move(view), std::move(options)), problem);
    }

    /// Checks the token and the form, then answers with what the function makes of the record: a Response or a Redirect. Shows the page
    /// again for a foreign token, an invalid form, and a Problem below 500 that the function throws.
    template <std::invocable<const Input&> F>
    Response submit(const Request& request, const Form<Input>& form, View view, F&& function, const PageOptions& options = {}) const
    {
        try
        {
            _pages->tokens().require(request, _purpose, form.token());
            Response response;
            auto result = function(*form);
            detail::Result<decltype(result)>::write(std::move(result), request, response);
            return response;
        }
        catch (const Problem& problem)
        {
            return refuse(request, form, std::move(view), problem, options);
        }
    }

    /// @throws Problem 403 `form_expired` unless this browser was shown the page that the form comes from
    void requireOwn(const Request& request, std::string_view token) const { _pages->tokens().require(request, _purpose, token); }

private:
    template <class F>
    friend class BasicWebPages;
    FormPage(const BasicWebPages<Frame>& pages, WebPage<View, Frame> page, std::string name, std::string purpose,
             PageForm<Input> View::*form)
        : _pages(&pages), _page(std::move(page)), _name(std::move(name)), _purpose(std::move(purpose)), _form(form)
    {
    }
    const BasicWebPages<Frame>* _pages;
    WebPage<View, Frame> _page;
    std::string _name;
    std::string _purpose;
    PageForm<Input> View::*_form;
};

/// Server-rendered pages of a service: `templates/pages/<name>.html` over a described record, its first line the title, in the frame
/// `templates/pages/frame.html`. Texts are messages `pages.<name>.…`. They need no scripts and load nothing that their policy does not
/// name. Made when the service starts; then thread-safe.
template <class Frame>
class BasicWebPages
{
public:
    /// @param frame what every page has, such as the path of the stylesheet.
    /// @throws std::runtime_error that lists the names that the frame lacks; the plugin then does not start
    BasicWebPages(const HostInfo& host, Templates templates, Frame frame = {})
        : BasicWebPages(std::move(templates), FormTokens(host), frame)
    {
    }
    BasicWebPages(Templates templates, FormTokens tokens, Frame frame = {})
        : _templates(std::move(templates)),
          _frameTemplate(_templates.bind<Frame>("pages/frame.html")),
          _frame(std::move(frame)),
          _tokens(std::move(tokens))
    {
    }

    /// @throws std::runtime_error that lists the names that the record lacks; the plugin then does not start
    template <class View>
    WebPage<View, Frame> bind(std::string_view name) const
    {
        return WebPage<View, Frame>(*this, _templates.template bind<View>("pages/" + std::string(name) + ".html"));
    }
    /// A page with a form, whose place is a member of the record.
    /// @param purpose pages with the same purpose accept each other's tokens; empty: the name. @throws as bind
    template <class View, class Input>
    FormPage<View, Input, Frame> bind(std::string_view name, PageForm<Input> View::*form, std::string_view purpose = {}) const
    {
        _templates.expect("pages." + std::string(name) + ".problem.");
        _templates.expect("problem.");
        return FormPage<View, Input, Frame>(*this, bind<View>(name), std::string(name), std::string(purpose.empty() ? name : purpose),
                                            form);
    }

    const Templates& templates() const noexcept { return _templates; }
    const FormTokens& tokens() const noexcept { return _tokens; }
    const Frame& frame() const noexcept { return _frame; }
    std::string localeOf(const Request& request, const PageOptions& options = {}) const
    {
        return detail::pageLocale(_templates, request, options);
    }
    std::string rendered(const Frame& frame, std::string_view locale) const { return _frameTemplate.render(frame, locale); }

private:
    Templates _templates;
    Template<Frame> _frameTemplate;
    Frame _frame;
    FormTokens _tokens;
};

using WebPages = BasicWebPages<PageFrame>;

} // namespace portico
