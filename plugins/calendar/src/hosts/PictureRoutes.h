#pragma once

#include "hosts/ActingHost.h"
#include "pictures/Pictures.h"

#include "portico/Routes.h"

namespace portico::calendar
{

/// Purpose of a host's picture.
enum class PictureUse
{
    Avatar,
    Logo
};

constexpr auto schemaOf(const PictureUse*)
{
    return portico::choices<PictureUse>({{"avatar", PictureUse::Avatar}, {"logo", PictureUse::Logo}});
}

/// Routes for pictures: hosts upload them at /api/admin/host/pictures, guests read them at /public/pictures. Thread-safe.
class PictureRoutes
{
public:
    PictureRoutes(PluginContext& context, const Pictures& pictures) : _context(context), _pictures(pictures) {}
    void declare(Routes& routes);

    /// Replaces the host's picture, and deletes the previous file.
    Host put(const Caller& caller, const Path<PictureUse>& use, const Query<HostChoice>& choice, const IfMatch& ifMatch,
             const Upload& upload);
    Response show(const Path<PictureId>& id) const;

private:
    PluginContext& _context;
    const Pictures& _pictures;
};

} // namespace portico::calendar
