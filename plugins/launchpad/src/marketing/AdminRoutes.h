#pragma once

#include "common/AdminSessions.h"
#include "marketing/Lead.h"

#include "portico/Routes.h"

#include <string>
#include <vector>

namespace portico::launchpad
{

struct AdminUser
{
    std::string id;
    std::string name;
};

constexpr auto schemaOf(const AdminUser*) { return describe(members<&AdminUser::id, &AdminUser::name>()); }

struct AdminSessionAnswer
{
    Instant expiresAt{};
    AdminUser user;
};

constexpr auto schemaOf(const AdminSessionAnswer*)
{
    return describe(members<&AdminSessionAnswer::expiresAt, &AdminSessionAnswer::user>());
}

struct WaitlistFilter
{
    std::vector<WaitlistStatus> status;
};

constexpr auto schemaOf(const WaitlistFilter*) { return describe(members<&WaitlistFilter::status>()); }

struct DemoFilter
{
    std::vector<DemoStatus> status;
};

constexpr auto schemaOf(const DemoFilter*) { return describe(members<&DemoFilter::status>()); }

struct WaitlistPatch
{
    WaitlistStatus status = WaitlistStatus::Waiting;
};

constexpr auto schemaOf(const WaitlistPatch*) { return describe(field<&WaitlistPatch::status>().required()); }

struct DemoPatch
{
    DemoStatus status = DemoStatus::Requested;
};

constexpr auto schemaOf(const DemoPatch*) { return describe(field<&DemoPatch::status>().required()); }

/// `/api/admin-session` and the lists of what visitors have left. Thread-safe.
class AdminRoutes
{
public:
    AdminRoutes(PluginContext& context, const AdminSessions& sessions) : _context(context), _sessions(sessions) {}
    void declare(Routes& routes);

    Reply<AdminSessionAnswer> begin(const Caller& caller) const;
    AdminSessionAnswer session(const Request& request) const;
    Response end(const Request& request) const;
    Page<WaitlistEntry> waitlist(const Request& request, const Query<WaitlistFilter>& filter, const Paging& paging) const;
    Page<DemoBooking> demos(const Request& request, const Query<DemoFilter>& filter, const Paging& paging) const;
    WaitlistEntry changeWaitlist(const Request& request, const Path<std::string>& id, const Body<Patch<WaitlistPatch>>& patch,
                                 const IfMatch& ifMatch) const;
    DemoBooking changeDemo(const Request& request, const Path<std::string>& id, const Body<Patch<DemoPatch>>& patch,
                           const IfMatch& ifMatch) const;
    Response waitlistFile(const Request& request) const;
    Response demoFile(const Request& request) const;

    /// @throws Problem 404, 409 `invalid_transition`
    WaitlistEntry setStatus(const WaitlistId& id, WaitlistStatus status, const IfMatch& ifMatch) const;
    DemoBooking setStatus(const DemoId& id, DemoStatus status, const IfMatch& ifMatch) const;

private:
    PluginContext& _context;
    const AdminSessions& _sessions;
};

} // namespace portico::launchpad
