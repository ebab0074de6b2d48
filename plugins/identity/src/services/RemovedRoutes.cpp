#include "services/RemovedRoutes.h"

#include "portico/Json.h"

namespace portico::identity
{

namespace
{

struct Replacement
{
    std::string replacement;
};

constexpr auto schemaOf(const Replacement*) { return describe(field<&Replacement::replacement>()); }

[[noreturn]] void refuseRemoved(std::string replacement)
{
    throw Problem::gone("endpoint_removed", "This address is no longer in use.").withDetails(Replacement{std::move(replacement)});
}

constexpr auto console = "/api/developer-console";

/// Every method of a pattern.
template <class F>
void removed(Routes& routes, std::string_view pattern, F function, RemovedRoutes* object)
{
    const RouteOptions options{.idempotencyKey = false, .undocumented = true};
    routes.get(pattern, access::open(), function, object, options)
        .post(pattern, access::open(), function, object, options)
        .put(pattern, access::open(), function, object, options)
        .patch(pattern, access::open(), function, object, options)
        .del(pattern, access::open(), function, object, options);
}

} // namespace

void RemovedRoutes::declare(Routes& routes)
{
    removed(routes, "/api/developer-portal", &RemovedRoutes::portal, this);
    removed(routes, "/api/developer-portal/{a}", &RemovedRoutes::portal1, this);
    removed(routes, "/api/developer-portal/{a}/{b}", &RemovedRoutes::portal2, this);
    removed(routes, "/api/developer-portal/{a}/{b}/{c}", &RemovedRoutes::portal3, this);
    removed(routes, "/api/developer-portal/{a}/{b}/{c}/{d}", &RemovedRoutes::portal4, this);
    removed(routes, "/api/app-submissions", &RemovedRoutes::submissions, this);
    removed(routes, "/api/build-requests", &RemovedRoutes::builds, this);
}

NoContent RemovedRoutes::portal() const { refuseRemoved(console); }
NoContent RemovedRoutes::portal1(const Path<std::string>&) const { refuseRemoved(console); }
NoContent RemovedRoutes::portal2(const Path<std::string>&, const Path<std::string>&) const { refuseRemoved(console); }
NoContent RemovedRoutes::portal3(const Path<std::string>&, const Path<std::string>&, const Path<std::string>&) const
{
    refuseRemoved(console);
}
NoContent RemovedRoutes::portal4(const Path<std::string>&, const Path<std::string>&, const Path<std::string>&,
                                 const Path<std::string>&) const
{
    refuseRemoved(console);
}
NoContent RemovedRoutes::submissions() const { refuseRemoved("/api/public/app-submissions"); }
NoContent RemovedRoutes::builds() const { refuseRemoved(console); }

} // namespace portico::identity
