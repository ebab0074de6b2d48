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
              {.summary = "Start a bulk change of contacts",
               .bodyLimit = longestBulkRequest,
               .execution = Execution::Long,
               .statuses = {202}})
        .get("/api/contacts/bulk", reads, &BulkService::list, &service, {.summary = "List bulk changes"})
        .get("/api/contacts/bulk/{bulkId}", reads, &BulkService::show, &service, {.summary = "Read the report of a bulk change"})
        .post("/api/contacts/bulk/{bulkId}/undo", writes, &BulkService::undo, &service,
              {.summary = "Undo a bulk change", .execution = Execution::Long, .problems = {"409 conflict"}});
}

} // namespace portico::crm
