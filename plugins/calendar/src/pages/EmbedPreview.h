#pragma once

#include "pages/Pages.h"
#include "records/EmbedGrant.h"

#include "portico/Routes.h"

#include <string>
#include <string_view>

namespace portico::calendar
{

/// Returns true for `handle` or `handle/event-type`, which remain addresses of this origin.
bool isBookingLink(std::string_view text);

/// Page to preview, and its mode.
struct PreviewChoice
{
    std::string link;
    EmbedMode mode = EmbedMode::Iframe;
};

constexpr auto schemaOf(const PreviewChoice*)
{
    return describe(field<&PreviewChoice::link>().required().matches(isBookingLink, "invalid_link",
                                                                     "a handle, or a handle and an event type such as ada/intro"),
                    field<&PreviewChoice::mode>());
}

/// Data of `preview.html`.
struct PreviewView
{
    std::string link;
    std::string embedId;
    bool popup = false;
    bool floating = false;
};

constexpr auto schemaOf(const PreviewView*)
{
    return describe(members<&PreviewView::link, &PreviewView::embedId, &PreviewView::popup, &PreviewView::floating>());
}

/// Serves /embed/preview: a sample page that embeds a booking page by the public script, so that hosts see the result. Only pages of this
/// origin may frame it and its content (`EmbedOrigins::previewId`). Thread-safe.
class EmbedPreview
{
public:
    explicit EmbedPreview(const Pages& pages) : _page(pages.bind<PreviewView>("preview")) {}
    void declare(Routes& routes);

    Response show(const Request& request, const Query<PreviewChoice>& choice) const;

private:
    PublicPage<PreviewView> _page;
};

} // namespace portico::calendar
