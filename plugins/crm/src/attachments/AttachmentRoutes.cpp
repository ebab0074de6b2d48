#include "attachments/AttachmentRoutes.h"

#include "attachments/AttachmentUpload.h"

namespace portico::crm
{

namespace
{
std::string entityTagOf(const Attachment& attachment) { return '"' + attachment.sha256 + '"'; }
} // namespace

void AttachmentRoutes::declare(Routes& routes)
{
    const auto reads = access::bearerOrKey("attachments:read", "attachments.read");
    const auto writes = access::bearerOrKey("attachments:write", "attachments.write");
    constexpr std::string_view attachments = "/api/contacts/{id}/attachments", attachment = "/api/attachments/{id}";
    routes.get(attachments, reads, &AttachmentRoutes::list, this, {.summary = "List the attachments of a contact"})
        .post(attachments, writes, &AttachmentRoutes::create, this,
              {.summary = "Upload an attachment as a form or a raw file",
               .bodyLimit = _service.settings().maxBytes,
               .problems = {"413 payload_too_large"},
               .consumes = {"multipart/form-data", "*/*"}})
        .get(attachment, reads, &AttachmentRoutes::download, this,
             {.summary = "Download an attachment",
              .cacheControl = "private, no-cache",
              .problems = {"416 range_not_satisfiable"},
              .produces = {"*/*"}})
        .del(attachment, writes, &AttachmentRoutes::remove, this, {.summary = "Delete an attachment"});
}

Page<Attachment> AttachmentRoutes::list(const Caller& caller, const Path<ContactId>& id, const Paging& paging) const
{
    const auto tenant = caller.tenant();
    auto session = _context.database().session();
    requireContact(session, tenant, *id);
    return listAttachments(session, tenant, *id, paging);
}

Created<Attachment> AttachmentRoutes::create(const Caller& caller, const Path<ContactId>& id, const FileNameHeader& fileName,
                                             const Upload& upload)
{
    const AttachmentUpload received(upload, *fileName);
    auto attachment = _service.create(caller, *id, received.file());
    auto location = attachment.downloadUrl;
    return {std::move(attachment), std::move(location)};
}

Response AttachmentRoutes::download(const Request& request, const Caller& caller, const Path<AttachmentId>& id) const
{
    const auto find = [&]
    {
        auto session = _context.database().session();
        return attachmentTable.require(session, caller.tenant(), *id);
    };
    const auto attachment = find();
    Response response;
    response.contentType = attachment.contentType;
    response.etag = entityTagOf(attachment);
    if (!sendBlob(_context.blobs(), attachment.blobKey, request, response, attachmentDisposition(attachment.fileName)))
    {
        // Deleted between the two looks, or lost.
        find();
        _context.logger().error("The file of an attachment is missing", {{"attachment", id->text()}, {"key", attachment.blobKey}});
        throw Problem::internal();
    }
    response.addHeader("Content-Security-Policy", "sandbox");
    return response;
}

Deleted<AttachmentId> AttachmentRoutes::remove(const Caller& caller, const Path<AttachmentId>& id, const IfMatch& ifMatch,
                                               const Request& request)
{
    const auto check = [&](const Attachment& attachment)
    {
        // The ETag of a download is that of its bytes, which identifies the file as well as the version does.
        if (!namesEntityTag(request.header("If-Match"), entityTagOf(attachment))) ifMatch.require(attachment.version);
    };
    return _service.remove(caller, *id, check);
}

} // namespace portico::crm
