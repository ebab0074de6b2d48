#include "exports/ExportRoutes.h"

#include "exports/ExportSource.h"

#include <algorithm>

namespace portico::crm
{

namespace
{

struct FileKind
{
    std::string_view contentType;
    std::string_view extension;
};

FileKind kindOf(ExportFormat format)
{
    switch (format)
    {
    case ExportFormat::Vcard:
        return {"text/vcard; charset=utf-8", ".vcf"};
    case ExportFormat::Json:
        return {"application/json", ".json"};
    case ExportFormat::Ndjson:
        return {"application/x-ndjson", ".ndjson"};
    default:
        return {"text/csv; charset=utf-8; header=present", ".csv"};
    }
}

/// `contacts-20261121.csv`.
std::string fileName(Instant now, std::string_view extension)
{
    auto date = toString(now).substr(0, 10);
    date.erase(std::remove(date.begin(), date.end(), '-'), date.end());
    return "contacts-" + date + std::string(extension);
}

} // namespace

ExportRoutes::ExportRoutes(PluginContext& context, const ContactService& service) : _context(context), _service(service) {}

void ExportRoutes::declare(Routes& routes)
{
    routes.get("/api/contacts/export", access::bearerOrKey("contacts:export", "contacts.read"), &ExportRoutes::send, this,
               {.summary = "Export contacts as a file",
                .problems = {"503 overloaded"},
                .produces = {"text/csv", "text/vcard", "application/json", "application/x-ndjson"}});
}

Stream ExportRoutes::send(const Caller& caller, const Query<ExportRequest>& request)
{
    const auto tenant = caller.tenant();
    checkContactFields(request->fields);
    auto place = _slots.take(tenant);
    auto session = _slots.takeSession();
    ContactSelection selection(*request, _context.database().dialect(), tenant, _service.listSettings());
    auto maker = std::make_unique<ExportMaker>(std::move(session), _context.database().snapshot(), std::move(selection), request->style());
    const auto kind = kindOf(request->format);
    return {std::string(kind.contentType), std::make_unique<ExportSource>(std::move(place), std::move(maker), _context.logger()),
            attachmentDisposition(fileName(_context.clock().now(), kind.extension))};
}

} // namespace portico::crm
