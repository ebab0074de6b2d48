#pragma once

#include "attachments/AttachmentService.h"

#include "portico/Plugin.h"
#include "portico/Routes.h"

namespace portico::crm
{

/// /api/contacts/{id}/attachments and /api/attachments/{id}. Thread-safe.
class AttachmentRoutes
{
public:
    using FileNameHeader = Header<"X-File-Name", std::optional<std::string>>;

    AttachmentRoutes(PluginContext& context, AttachmentService& service) : _context(context), _service(service) {}
    void declare(Routes& routes);

    Page<Attachment> list(const Caller& caller, const Path<ContactId>& id, const Paging& paging) const;
    Created<Attachment> create(const Caller& caller, const Path<ContactId>& id, const FileNameHeader& fileName, const Upload& upload);
    /// Sends the bytes as a download. Browsers never render them, so that uploaded scripts cannot run on this origin.
    Response download(const Request& request, const Caller& caller, const Path<AttachmentId>& id) const;
    Deleted<AttachmentId> remove(const Caller& caller, const Path<AttachmentId>& id, const IfMatch& ifMatch, const Request& request);

private:
    PluginContext& _context;
    AttachmentService& _service;
};

} // namespace portico::crm
