#pragma once

#include "hosts/ActingHost.h"
#include "pictures/Pictures.h"

#include "portico/Routes.h"

namespace portico::calendar
{

/// What a host shows a picture as.
enum class PictureUse
{
    Avatar,
    Logo
};

constexpr auto schemaOf(const PictureUse*)
{
    return portico::choices<PictureUse>({{"avatar", PictureUse::Avatar}, {"logo", PictureUse::Logo}});
}

/// /api/admin/host/pictures, where hosts send their pictures, and /public/pictures, where everybody sees them. Thread-safe.
class PictureRoutes
{
public:
    PictureRoutes(PluginContext& context, const Pictures& pictures) : _context(context), _pictures(pictures) {}
    void declare(Routes& routes);

    /// The picture is the host's, in place of the one before, whose file goes.
    Host put(const Caller& caller, const Path<PictureUse>& use, const Query<HostChoice>& choice, const IfMatch& ifMatch,
             const Upload& upload);
    Response show(const Path<PictureId>& id) const;

private:
    PluginContext& _context;
    const Pictures& _pictures;
};

} // namespace portico::calendar
