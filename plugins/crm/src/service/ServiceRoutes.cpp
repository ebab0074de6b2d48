#include "service/ServiceRoutes.h"

namespace portico::crm
{

void ServiceRoutes::declare(Routes& routes)
{
    routes.get("/api", access::open(), &ServiceRoutes::info, this, {.summary = "Describe this service"});
}

ServiceInfo ServiceRoutes::info() const
{
    ServiceInfo info;
    info.service = _context.host().serviceId;
    info.version = _context.host().serviceVersion;
    info.apiVersion = "1.0.0";
    info.documentation = "/docs";
    info.resources = {{"contacts", "/api/contacts"},
                      {"notes", "/api/contacts/{id}/notes"},
                      {"imports", "/api/contacts/imports"},
                      {"bulk", "/api/contacts/bulk"},
                      {"export", "/api/contacts/export"},
                      {"pipelines", "/api/pipeline"},
                      {"customFields", "/api/custom-fields"},
                      {"attachments", "/api/contacts/{id}/attachments"},
                      {"tags", "/api/tags"},
                      {"duplicates", "/api/contacts/duplicates"},
                      {"changes", "/api/changes"},
                      {"widget", "/api/widget"}};
    info.limits.attachmentBytes = static_cast<std::int64_t>(_attachments.maxBytes);
    info.limits.attachmentsPerContact = _attachments.perContact;
    return info;
}

} // namespace portico::crm
