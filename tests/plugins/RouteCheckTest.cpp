#include "support/Suite.h"

#include "host/plugins/package/ManifestReader.h"
#include "host/plugins/runtime/RouteCheck.h"

#include <string>
#include <vector>

using namespace portico;
using namespace portico::host::plugins;

namespace
{

using portico::testing::equal;
using portico::testing::Suite;

struct Rooms
{
    NoContent one(const Path<std::string>&) { return {}; }
    NoContent all() { return {}; }
};

/// A service with rooms and desks that keys may be narrowed to, and a scope that is never narrowed.
Manifest roomsManifest()
{
    const auto read =
        ManifestReader().parse("manifest.json", R"({"manifestVersion": 1, "service_id": "ok", "version": "1.0.0", "name": "Rooms",
        "plugin": {"library": "ok.so", "sdk": {"epoch": 1, "minMinor": 0}}, "surface_kind": "internal", "surface_group": "platform",
        "permissions": [{"permission": "ok.rooms:read", "title": "Read"}],
        "apiKeyScopes": [{"scope": "rooms.read", "title": "Read", "permissions": ["ok.rooms:read"], "bindable": ["room"]},
                         {"scope": "rooms.all", "title": "Read all", "permissions": ["ok.rooms:read"], "bindable": []}],
        "bindableResources": [{"type": "room", "title": "Room", "idPattern": "^rom_"}]})");
    CPPUNIT_ASSERT_MESSAGE(read.errors.empty() ? "" : read.errors.front(), read.manifest);
    return *read.manifest;
}

using Texts = std::vector<std::string>;

} // namespace

/// Which resources a key reaches: what routes say against what the manifest promises. The other checks of access are in SituationTest.
class RouteCheckTest : public Suite<RouteCheckTest>
{
    TEST(everythingBoundIsFine)
    {
        Routes routes;
        routes.get("/rooms/{id}", keys.bind("room", "id"), &Rooms::one, &rooms)
            .get("/rooms", keys.bindInHandler("room"), &Rooms::all, &rooms)
            .get("/count", access::bearerOrKey("rooms:read", "rooms.all"), &Rooms::all, &rooms)
            .get("/mine", access::bearer("rooms:read"), &Rooms::all, &rooms);
        const auto found = checked(routes);
        CHECK(found.faults == Texts());
        CPPUNIT_ASSERT_MESSAGE(found.warnings.empty() ? "" : found.warnings.front(), found.warnings == Texts());
    }

    TEST(unboundResourceIsReported)
    {
        Routes routes;
        routes.get("/rooms/{id}", keys, &Rooms::one, &rooms);
        const auto found = checked(routes);
        CHECK(found.faults == Texts());
        equal(2, found.warnings.size());
        CHECK(found.warnings[0].starts_with("GET /rooms/{id}: a key may be narrowed to single resources of the type 'room'"));
        CHECK(found.warnings[1].starts_with("bindableResources: no route binds a 'room'"));
    }

    TEST(bindingMoreThanTheManifestIsAFault)
    {
        Routes routes;
        routes.get("/rooms/{id}", keys.bind("room", "id").bind("desk", "id"), &Rooms::one, &rooms)
            .get("/all/{id}", access::bearerOrKey("rooms:read", "rooms.all").bind("room", "id"), &Rooms::one, &rooms);
        const auto found = checked(routes);
        equal(2, found.faults.size());
        CHECK(found.faults[0].starts_with("GET /rooms/{id}: it binds 'desk'"));
        CHECK(found.faults[1].starts_with("GET /all/{id}: it binds 'room'"));
    }

    static RouteFindings checked(Routes& routes)
    {
        auto declared = routes.take();
        return checkRoutes(declared, roomsManifest());
    }

    Rooms rooms;
    const Access keys = access::bearerOrKey("rooms:read", "rooms.read");
};
