#pragma once

#include "common/Core.h"

#include "portico/WebPages.h"

#include <string>

namespace portico::identity
{

/// The stylesheet of the pages, made of the tokens and of `web/styles/pages.css`.
struct PageStyles
{
    PageAssets assets;
    PageFrame frame;

    explicit PageStyles(const Core& core);
};

/// Tokens of forms of people who need not be signed in, bound to the browser by the cookie of a sign-in that has not begun.
FormTokens formTokens(const Core& core);

/// Identity's pages: `web/templates/pages`. They work without scripts, in light and dark, and load nothing but the one stylesheet.
/// Thread-safe.
class Pages : private PageStyles, public WebPages
{
public:
    explicit Pages(const Core& core) : PageStyles(core), WebPages(core.templates, formTokens(core), PageStyles::frame) {}
    void declare(Routes& routes) { assets.declare(routes); }
    using WebPages::frame;
};

/// Policy of a page with one script in it, whose form leads to the origins.
PagePolicy policyWith(std::string_view script, std::vector<std::string> formTargets = {});

} // namespace portico::identity
