#pragma once

#include "calendar/CalendarFixture.h"

#include <string>

namespace portico::tests
{

/// Ada of Berlin with office hours and an event type `intro` of half an hour; it is Monday, 09:00 there.
class BookingFixture : public CalendarFixture
{
public:
    void setUp() override
    {
        CalendarFixture::setUp();
        newHost(ada, "ada");
        intro = newType(R"({"slug":"intro","title":"Intro call"})");
    }

protected:
    /// The id of a new event type of Ada's.
    std::string newType(const std::string& body) const { return made(post(ada, "/api/admin/event-types", body)).at("/eventTypeId"); }

    /// Sends a guest's request, from the given address.
    testing::TestAnswer guest(Method method, const std::string& target, const std::string& body = {},
                              const std::string& address = "192.0.2.1", const std::string& origin = {}) const
    {
        testing::TestRequest request{method, target, body, {}, Caller::nobody()};
        request.clientAddress = address;
        if (!origin.empty()) request.headers.emplace_back("Origin", origin);
        return host->call(request);
    }
    testing::TestAnswer hold(const std::string& start, const std::string& address = "192.0.2.1", const std::string& more = {},
                             const std::string& type = "intro") const
    {
        return guest(Method::Post, "/api/public/ada/" + type + "/hold", jsonWith(R"({"start":"$","timeZone":"UTC"$})", start, more),
                     address);
    }
    testing::TestAnswer confirm(const testing::TestAnswer& held, const std::string& more = {}, const std::string& type = "intro",
                                const std::string& guestName = "Grace") const
    {
        return guest(
            Method::Post, "/api/public/ada/" + type + "/confirm",
            jsonWith(R"({"holdId":"$","holdToken":"$","guest":{"name":"$","email":"Grace@example.org","timeZone":"America/New_York"}$})",
                     held.at("/holdId"), held.at("/holdToken"), guestName, more));
    }
    /// A booking by a guest, and the token of its link.
    testing::TestAnswer booked(const std::string& start, const std::string& type = "intro") const
    {
        return made(confirm(made(hold(start, "198.51.100.7", {}, type)), {}, type));
    }
    static std::string tokenOf(const testing::TestAnswer& confirmed)
    {
        const auto url = confirmed.at("/manageUrl");
        return url.substr(url.find("token=") + 6);
    }
    testing::TestAnswer freeOn(const std::string& date, const std::string& type = "intro") const
    {
        return guest(Method::Get, "/api/public/ada/" + type + "/availability?fromDate=" + date + "&toDate=" + date);
    }
    std::string why(const std::string& start) const
    {
        return guest(Method::Get, "/api/public/ada/intro/explain?start=" + start).at("/reasons");
    }
    testing::TestAnswer step(const std::string& booking, const std::string& name, const std::string& body = "{}") const
    {
        return post(ada, "/api/admin/bookings/" + booking + "/" + name, body);
    }
    /// Returns the types of the published booking events, in order, separated by blanks.
    std::string events() const
    {
        std::string types;
        for (const auto& event : host->context().events().published()) types += (types.empty() ? "" : " ") + event.type.substr(17);
        return types;
    }

    std::string intro;
};

} // namespace portico::tests
