#include "imports/ImportService.h"

#include "Rights.h"
#include "data/Locks.h"
#include "imports/ImportFiles.h"
#include "imports/ImportFormats.h"
#include "imports/ImportRun.h"
#include "imports/ImportStore.h"
#include "imports/ImportUndo.h"

#include "portico/Json.h"
#include "portico/Problem.h"
#include "portico/Text.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace portico::crm
{

namespace
{

constexpr std::string_view runJob = "crm.imports.run", tidyJob = "crm.imports.tidy";
/// Time after which an import without progress is considered abandoned.
constexpr std::chrono::seconds stallTime{60};
/// Maximum transactions of one job run. Another run continues, so that other jobs can run.
constexpr int stepsPerJob = 20;
constexpr int attemptsPerJob = 8;
/// Time that a synchronous import waits for another one of its organization, and interval at which a job tries again.
constexpr std::chrono::seconds turnPatience{10}, turnInterval{1};
constexpr std::int64_t deletedPerTransaction = 2000;

/// Payload of the job that runs an import.
struct ImportJob
{
    std::string organizationId;
    ImportId importId;
};

constexpr auto schemaOf(const ImportJob*) { return describe(members<&ImportJob::organizationId, &ImportJob::importId>()); }

bool hasMoreRows(ImportFile& file, const ImportPlan& plan, std::int64_t rows)
{
    const auto reader = openImport(file, plan);
    ParsedRow row;
    for (std::int64_t i = 0; i <= rows; ++i)
        if (!reader->next(row)) return false;
    return true;
}

void checkUndoable(const ImportState& state, Instant now)
{
    if (state.status == ImportStatus::Running) throw Problem::conflict("conflict", "The import is still running.");
    if (state.undoneAt) throw Problem::conflict("conflict", "The import was undone before.");
    if (!state.undoUntil) throw Problem::conflict("conflict", "The import has changed nothing.");
    if (*state.undoUntil <= now) throw Problem::conflict("conflict", "The import is too old to be undone.");
}

/// Returns the media type of a known format, so that it is not detected again.
std::string_view mediaTypeOf(ImportFormat format)
{
    switch (format)
    {
    case ImportFormat::Vcard:
        return "text/vcard";
    case ImportFormat::Json:
        return "application/json";
    case ImportFormat::Ndjson:
        return "application/x-ndjson";
    case ImportFormat::Csv:
    case ImportFormat::Auto:
        break;
    }
    return "text/csv";
}

void copy(ImportFile& file, Blobs::Writer& writer)
{
    std::vector<char> buffer(64 * 1024);
    for (std::uint64_t offset = 0; const auto got = file.read(offset, buffer); offset += got) writer.write(std::span(buffer).first(got));
}

} // namespace

void ImportService::start()
{
    auto& jobs = _tools.context.jobs();
    jobs.handle<ImportJob>(runJob, [this](const ImportJob& import, const Job& job)
                           { run(Tenant::fromStored(import.organizationId), import.importId, job); });
    jobs.handle(tidyJob, &ImportService::tidy, this);
    jobs.every(tidyJob, stallTime);
}

ImportReport ImportService::import(const Caller& caller, ImportRequest request)
{
    const auto tenant = caller.tenant();
    checkOptions(caller, request.options);
    auto plan = planImport(request.file, request.options, {request.contentType, request.fileName});
    const bool later = request.options.async || hasMoreRows(request.file, plan, ImportSettings::rowsAtOnce);
    auto state = begin(caller, request, std::move(plan));
    if (!later) return runNow(tenant, std::move(state));
    enqueue(tenant, state.importId, Run::Now);
    return reportOf(state);
}

ImportReport ImportService::importAgain(const Caller& caller, const ImportId& id, const ImportOptions& options, const IfMatch& ifMatch)
{
    const auto tenant = caller.tenant();
    const auto tried = [&]
    {
        auto session = _tools.context.database().session();
        return importTable.require(session, tenant, id);
    }();
    ifMatch.require(tried.version);
    if (!tried.dryRun) throw Problem::conflict("conflict", "Only a dry run can be run again.");
    if (tried.status == ImportStatus::Running) throw Problem::conflict("conflict", "The dry run is still running.");
    auto body = tried.fileUntil && *tried.fileUntil > now() ? _tools.context.blobs().open(tried.blobKey.value_or("")) : std::nullopt;
    if (!body) throw Problem::gone("import_file_gone", "The file of this dry run is kept no longer: send it again.");
    BlobImportFile file(*std::move(body));
    return import(caller,
                  {file, [&](Blobs::Writer& writer) { copy(file, writer); }, mediaTypeOf(tried.plan.format), tried.fileName, options});
}

void ImportService::checkOptions(const Caller& caller, ImportOptions& options) const
{
    if (options.pipelineId || options.stageId) requireRight(caller, "crm.pipeline:move", "pipeline.write");
    for (std::size_t i = 0; i < options.tags.size(); ++i)
    {
        options.tags[i] = trim(options.tags[i]);
        if (options.tags[i].empty()) throw Problem::invalid("tags[" + std::to_string(i) + "]", "required", "Must not be empty");
    }
    if (options.ownerUserId && !ImportOwners(_tools.context.services(), std::string(caller.tenant().text())).byId(*options.ownerUserId))
        throw Problem::invalid("ownerUserId", "unknown_owner", "Not an active member of the organization");
    findStage(caller, options);
}

void ImportService::findStage(const Caller& caller, ImportOptions& options) const
{
    if (!options.pipelineId && !options.stageId) return;
    const auto pipeline = _tools.pipelines.requireStage(caller, options.pipelineId, options.stageId, {});
    options.pipelineId = pipeline.pipelineId;
    if (!options.stageId) options.stageId = pipeline.stages.front().stageId;
}

ImportState ImportService::begin(const Caller& caller, const ImportRequest& request, ImportPlan plan) const
{
    const auto writer = _tools.context.blobs().create(caller.tenant().text());
    request.store(*writer);
    ImportState state;
    state.startedAt = state.updatedAt = now();
    state.importId = ImportId::make(state.startedAt);
    state.dryRun = request.options.dryRun;
    state.phase = request.options.dryRun || request.options.atomic ? ImportPhase::Check : ImportPhase::Store;
    state.fileName = request.fileName;
    state.fileBytes = static_cast<std::int64_t>(request.file.size());
    state.blobKey = writer->key();
    state.options = request.options;
    state.plan = std::move(plan);
    state.createdBy = caller.principalId;
    // Inserts the import before the blob exists, so that no blob is left without a row.
    _tools.context.database().transact([&](Transaction& transaction) { importTable.insert(transaction, caller.tenant(), state); });
    writer->commit();
    return state;
}

ImportReport ImportService::runNow(Tenant tenant, ImportState state)
{
    ImportRun run(_tools, std::string(tenant.text()), std::move(state));
    std::string why = "others of the organization are running";
    try
    {
        if (runInTurn(tenant, run, turnPatience, std::numeric_limits<int>::max(), {}) == Turn::Done) return reportOf(run.state());
    }
    catch (const std::exception& error)
    {
        // Stored rows stay stored, so the request does not fail.
        why = error.what();
    }
    _tools.context.logger().warning("an import continues in a job", {{"import", run.state().importId.text()}, {"error", why}});
    enqueue(tenant, run.state().importId, Run::Once);
    return reportOf(run.state());
}

ImportService::Turn ImportService::runInTurn(Tenant tenant, ImportRun& run, std::chrono::milliseconds patience, int steps,
                                             const std::stop_token& stop) const
{
    auto turn = Turn::Others;
    const auto work = [&]
    {
        for (turn = Turn::More; steps > 0; --steps)
        {
            if (!run.step())
            {
                turn = Turn::Done;
                return;
            }
            if (stop.stop_requested()) throw std::runtime_error("stopped on request; the import continues later");
        }
    };
    try
    {
        _tools.context.state().withLock(longWorkOf(tenant), patience, work);
    }
    catch (const Problem&)
    {
        if (turn != Turn::Others) throw;
    }
    return turn;
}

void ImportService::enqueue(Tenant tenant, const ImportId& id, Run when) const
{
    Jobs::Options options;
    options.maxAttempts = attemptsPerJob;
    if (when == Run::Once) options.dedupeKey = "import:" + id.text();
    if (when == Run::Later) options.delay = turnInterval;
    _tools.context.database().transact(
        [&](Transaction& transaction)
        {
            // Updates the time, so that the waiting import does not look abandoned.
            if (when == Run::Later)
                transaction.execute("UPDATE import SET updated_at = $3 WHERE organization_id = $1 AND import_id = $2", tenant, id, now());
            _tools.context.jobs().enqueue(transaction, runJob, ImportJob{std::string(tenant.text()), id}, options);
        });
}

void ImportService::run(Tenant tenant, const ImportId& id, const Job& job)
{
    auto state = [&]
    {
        auto session = _tools.context.database().session();
        return importTable.find(session, tenant, id);
    }();
    if (!state || state->phase == ImportPhase::Done) return;
    ImportRun run(_tools, std::string(tenant.text()), *std::move(state));
    try
    {
        const auto turn = runInTurn(tenant, run, {}, stepsPerJob, job.stop);
        if (turn != Turn::Done) enqueue(tenant, id, turn == Turn::More ? Run::Now : Run::Later);
    }
    catch (const ImportOvertaken&)
    {
    }
    catch (const ImportFileGone&)
    {
        breakOff(tenant, id);
    }
    catch (const std::exception& error)
    {
        if (job.stop.stop_requested() || job.attempt < attemptsPerJob) throw;
        _tools.context.logger().error("an import broke off", {{"import", id.text()}, {"error", error.what()}});
        breakOff(tenant, id);
    }
}

void ImportService::breakOff(Tenant tenant, const ImportId& id) const
{
    _tools.context.database().transact(
        [&](Transaction& transaction)
        {
            bool breaks = false;
            const auto state = changeImport(transaction, tenant, id, now(),
                                            [&](ImportState& import)
                                            {
                                                breaks = import.status == ImportStatus::Running;
                                                if (breaks) crm::breakOff(import, now());
                                            });
            if (breaks) announce(_tools.context.events(), transaction, tenant, "completed", state);
        });
    enqueue(tenant, id, Run::Now);
}

UndoneImport ImportService::undo(const Caller& caller, const ImportId& id, const IfMatch& ifMatch)
{
    const auto tenant = caller.tenant();
    UndoneImport answer{id, {}, {}};
    bool begun = false;
    for (UndoCursor cursor; !cursor.done; begun = true)
    {
        UndoStep step;
        const auto undoNext = [&](Transaction& transaction, ImportState& state)
        {
            if (!begun) ifMatch.require(state.version);
            checkUndoable(state, now());
            step = undoSome({_tools, transaction, tenant, state, now()}, cursor, UndoMode::Delete);
            state.undoneDeleted += step.deleted;
            state.undoneRestored += static_cast<std::int64_t>(step.restored.size());
            if (!step.next.done) return;
            if (state.undoneDeleted + state.undoneRestored == 0)
                throw Problem::conflict("conflict", "All contacts of the import were changed since.");
            state.undoneAt = now();
            announce(_tools.context.events(), transaction, tenant, "undone", state);
        };
        const auto state = _tools.context.database().transact(
            [&](Transaction& transaction)
            { return changeImport(transaction, tenant, id, now(), [&](ImportState& import) { undoNext(transaction, import); }); });
        answer.undone = {state.undoneDeleted, state.undoneRestored};
        cursor = std::move(step.next);
        for (const auto& contact : step.restored) std::erase(answer.kept, contact);
        answer.kept.insert(answer.kept.end(), step.kept.begin(), step.kept.end());
    }
    return answer;
}

void ImportService::tidy(const Job& job)
{
    std::vector<ImportKeyOfRow> stalled, old, tried;
    {
        auto session = _tools.context.database().session();
        stalled = stalledImports(session, now() - stallTime);
        old = importsToForget(session, now());
        tried = importsWithOldFiles(session, now());
    }
    for (const auto& import : stalled) enqueue(Tenant::fromStored(import.organizationId), import.importId, Run::Once);
    for (const auto& import : tried) dropFile(Tenant::fromStored(import.organizationId), import.importId);
    for (const auto& import : old) forget(Tenant::fromStored(import.organizationId), import.importId, job.stop);
}

void ImportService::dropFile(Tenant tenant, const ImportId& id) const
{
    const auto state = [&]
    {
        auto session = _tools.context.database().session();
        return importTable.find(session, tenant, id);
    }();
    if (!state) return;
    if (state->blobKey) _tools.context.blobs().remove(*state->blobKey);
    _tools.context.database().transact(
        [&](Transaction& transaction)
        {
            changeImport(transaction, tenant, id, now(),
                         [](ImportState& import)
                         {
                             import.blobKey.reset();
                             import.fileUntil.reset();
                             import.sample.clear();
                         });
        });
}

void ImportService::forget(Tenant tenant, const ImportId& id, const std::stop_token& stop) const
{
    for (bool more = true; more && !stop.stop_requested();)
        more = _tools.context.database().transact(
            [&](Transaction& transaction)
            {
                if (removeKept(transaction, tenant, id, deletedPerTransaction)) return true;
                changeImport(transaction, tenant, id, now(), [](ImportState& state) { state.forgetAt.reset(); });
                return false;
            });
}

} // namespace portico::crm
