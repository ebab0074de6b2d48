#include "bulk/BulkRoutes.h"

namespace portico::crm
{

namespace
{
constexpr std::uint64_t longestBulkRequest = 1024 * 1024;
} // namespace

void declareBulk(Routes& routes, BulkService& service)
{
    const auto reads = access::bearerOrKey("contacts:read", "contacts.read");
    const auto writes = access::bearerOrKey("contacts:write", "contacts.write");
    routes
        .post("/api/contacts/bulk", writes, &BulkService::begin, &service,
              {.summary =
                   "Change many contacts alike, in the background: these, or all that match a filter; the answer is 202 with the report",
               .bodyLimit = longestBulkRequest,
               .execution = Execution::Long,
               .statuses = {202}})
        .get("/api/contacts/bulk", reads, &BulkService::list, &service, {.summary = "List the changes of many contacts"})
        .get("/api/contacts/bulk/{bulkId}", reads, &BulkService::show, &service,
             {.summary = "Read the report of a change of many contacts"})
        .post("/api/contacts/bulk/{bulkId}/undo", writes, &BulkService::undo, &service,
              {.summary = "Undo a change of many contacts", .execution = Execution::Long, .problems = {"409 conflict"}});
}

} // namespace portico::crm
