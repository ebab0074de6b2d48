#include "pages/EmbedPreview.h"

#include "embed/EmbedOrigins.h"

#include <algorithm>

namespace portico::calendar
{

bool isBookingLink(std::string_view text)
{
    const auto isName = [](std::string_view name)
    {
        return !name.empty() && name.size() <= 60 &&
               std::ranges::all_of(name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
    };
    const auto slash = text.find('/');
    return isName(text.substr(0, slash)) && (slash == std::string_view::npos || isName(text.substr(slash + 1)));
}

void EmbedPreview::declare(Routes& routes)
{
    routes.get("/embed/preview", access::open(), &EmbedPreview::show, this,
               {.summary = "Sample page with an embedded booking page", .undocumented = true});
}

Response EmbedPreview::show(const Request& request, const Query<PreviewChoice>& choice) const
{
    PublicPageOptions options;
    options.frames = true;
    return _page.render(
        request,
        {choice->link, std::string(EmbedOrigins::previewId), choice->mode == EmbedMode::Popup, choice->mode == EmbedMode::Floating},
        options);
}

} // namespace portico::calendar
