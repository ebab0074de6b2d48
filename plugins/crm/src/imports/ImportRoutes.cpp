#include "imports/ImportRoutes.h"

#include "imports/ImportErrorFile.h"
#include "imports/ImportFiles.h"
#include "imports/ImportStore.h"

#include "portico/HeaderValue.h"
#include "portico/Json.h"
#include "portico/Multipart.h"
#include "portico/Text.h"

namespace portico::crm
{

namespace
{

constexpr std::size_t longestOptions = 256 * 1024;

/// Parts of a form that brings a file.
struct ImportForm
{
    const FormPart* file = nullptr;
    const FormPart* options = nullptr;
};

void take(const FormPart*& place, const FormPart& part)
{
    if (place) throw Problem::invalid(part.name, "too_many_values", "Only one part of this name is taken");
    place = &part;
}

ImportForm partsOf(const std::vector<FormPart>& parts)
{
    ImportForm form;
    for (const auto& part : parts)
    {
        if (part.name == "file")
            take(form.file, part);
        else if (part.name == "options")
            take(form.options, part);
        else
            throw Problem(400, "unknown_field", "The form has a part that is not known.").with({part.name, "unknown_field", "Not known"});
    }
    if (!form.file) throw Problem::invalid("file", "required", "The form has no part `file`");
    return form;
}

/// Returns a file name without folders and control characters, at most 200 characters, for the contacts' source detail. Also accepts the
/// form of RFC 8187 (`UTF-8''na%C3%AFve.csv`).
std::string importFileName(std::string_view sent)
{
    constexpr std::size_t maxCharacters = 200;
    std::string name = decodeExtendedValue(sent).value_or(std::string(sent));
    name.erase(0, name.find_last_of("/\\") + 1);
    std::erase_if(name, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
    // A header may hold bytes that are no text; such a name is none.
    if (!name.empty() && fold(name).empty()) return {};
    return std::string(trim(firstCharacters(name, maxCharacters)));
}

bool isGiven(const ImportQuery& query) { return toJson(query) != toJson(ImportQuery{}); }

} // namespace

void ImportRoutes::declare(Routes& routes)
{
    const auto reads = access::bearerOrKey("contacts:read", "contacts.read");
    const auto imports = access::bearerOrKey("contacts:import", "contacts.write");
    routes
        .post("/api/contacts/import", imports, &ImportRoutes::import, this,
              {.summary = "Import contacts from a raw file or a form",
               .bodyLimit = _tools.settings.fileBytes,
               .execution = Execution::Long,
               .problems = {"413 payload_too_large"},
               .consumes = {"text/csv", "text/vcard", "application/json", "application/x-ndjson", "multipart/form-data"}})
        .get("/api/contacts/imports", reads, &ImportRoutes::list, this, {.summary = "List the imports"})
        .get("/api/contacts/imports/{importId}", reads, &ImportRoutes::show, this, {.summary = "Read the report of an import"})
        .get("/api/contacts/imports/{importId}/errors.csv", reads, &ImportRoutes::errors, this,
             {.summary = "Download the rejected rows of an import", .produces = {"text/csv"}})
        .post(
            "/api/contacts/imports/{importId}/run", imports, &ImportRoutes::run, this,
            {.summary = "Import the file of a dry run", .execution = Execution::Long, .problems = {"409 conflict", "410 import_file_gone"}})
        .post("/api/contacts/imports/{importId}/undo", imports, &ImportRoutes::undo, this,
              {.summary = "Undo an import", .problems = {"409 conflict"}});
}

ImportReport ImportRoutes::import(const Caller& caller, const Query<ImportQuery>& query, const FileName& fileName, const Upload& upload)
{
    if (isFormData(upload.contentType())) return importForm(caller, query, upload);
    checkSize(upload.size());
    const auto name = importFileName(fileName->value_or(std::string()));
    return importFile(caller, upload.file(), upload.contentType(), name, query->options());
}

ImportReport ImportRoutes::importForm(const Caller& caller, const Query<ImportQuery>& query, const Upload& upload)
{
    const auto parts = readForm(upload.file(), upload.contentType());
    const auto form = partsOf(parts);
    if (form.options && isGiven(*query)) throw Problem::invalid("options", "conflicting", "Give the options once: as a part or as a query");
    checkSize(form.file->content.size());
    auto options = form.options ? fromJson<ImportOptions>(form.options->text(longestOptions)) : query->options();
    const auto name = importFileName(form.file->fileName.value_or(std::string()));
    return importFile(caller, form.file->content, form.file->contentType, name, std::move(options));
}

ImportReport ImportRoutes::importFile(const Caller& caller, const ReceivedFile& received, std::string_view contentType,
                                      std::string_view fileName, ImportOptions options)
{
    ReceivedImportFile file(received);
    return _service.import(caller,
                           {file, [&](Blobs::Writer& writer) { writer.write(received); }, contentType, fileName, std::move(options)});
}

void ImportRoutes::checkSize(std::uint64_t bytes) const
{
    if (bytes <= _tools.settings.fileBytes) return;
    throw Problem::tooLarge("The file is too large.")
        .withDetails(R"({"fields":[{"field":"file","code":"too_large","limit":)" + std::to_string(_tools.settings.fileBytes) + "}]}");
}

Page<ImportReport> ImportRoutes::list(const Caller& caller, const Query<ImportFilter>& filter, const Paging& paging) const
{
    const auto tenant = caller.tenant();
    auto session = _tools.context.database().session();
    return listImports(session, tenant, *filter, paging);
}

ImportReport ImportRoutes::show(const Caller& caller, const Path<ImportId>& id) const { return reportOf(require(caller, *id)); }

Stream ImportRoutes::errors(const Caller& caller, const Path<ImportId>& id) const
{
    auto state = require(caller, *id);
    if (state.status != ImportStatus::Running && !state.forgetAt) throw Problem::notFound("The error file has expired.");
    const auto disposition = attachmentDisposition("errors-" + state.importId.text() + ".csv");
    return {"text/csv; charset=utf-8", importErrorFile(_tools.context.database(), caller.tenant(), std::move(state)), disposition};
}

ImportReport ImportRoutes::run(const Caller& caller, const Path<ImportId>& id, const Body<ImportOptions>& options, const IfMatch& ifMatch)
{
    return _service.importAgain(caller, *id, *options, ifMatch);
}

UndoneImport ImportRoutes::undo(const Caller& caller, const Path<ImportId>& id, const IfMatch& ifMatch)
{
    return _service.undo(caller, *id, ifMatch);
}

ImportState ImportRoutes::require(const Caller& caller, const ImportId& id) const
{
    const auto tenant = caller.tenant();
    auto session = _tools.context.database().session();
    return importTable.require(session, tenant, id);
}

} // namespace portico::crm
