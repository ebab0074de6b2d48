#pragma once

#include "pages/Pages.h"
#include "records/EmbedGrant.h"

#include "portico/Routes.h"

#include <string>
#include <string_view>

namespace portico::calendar
{

/// `handle` or `handle/event-type`: what stays on this origin as an address.
bool isBookingLink(std::string_view text);

/// Which page is shown, and how.
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

/// What `preview.html` shows.
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

/// /embed/preview: some page with a booking page in it, by the script that other pages use, for hosts to see what they would get. Only
/// pages of this origin may frame it, and what is in it (`EmbedOrigins::previewId`). Thread-safe.
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
