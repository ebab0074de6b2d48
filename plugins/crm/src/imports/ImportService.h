#pragma once

#include "imports/ImportTools.h"

#include "portico/Caller.h"
#include "portico/Jobs.h"
#include "portico/Request.h"
#include "portico/Tenant.h"

#include <chrono>
#include <functional>
#include <stop_token>
#include <string_view>

namespace portico::crm
{

class ImportRun;

/// A file that is to be imported, and what came with it.
struct ImportRequest
{
    ImportFile& file;
    /// Writes the file into a blob.
    std::function<void(Blobs::Writer& writer)> store;
    std::string_view contentType;
    std::string_view fileName;
    ImportOptions options;
};

/// Operations on imports. Thread-safe.
class ImportService
{
public:
    /// The tools must outlive this object.
    explicit ImportService(const ImportTools& tools) : _tools(tools) {}
    /// Registers the jobs that run long imports, continue interrupted ones, and remove undo data.
    void start();

    /// Imports a file: a short one before it returns, a long one in a job. @throws Problem 400 for an invalid file or invalid options, 403
    ImportReport import(const Caller& caller, ImportRequest request);
    /// Imports the file of a dry run, for real or again as a dry run.
    /// @throws Problem 400, 403, 404, 409 unless it is a dry run that has ended, 410 if its file was deleted, 412
    ImportReport importAgain(const Caller& caller, const ImportId& id, const ImportOptions& options, const IfMatch& ifMatch);
    /// Reverts an import, except for contacts that were changed since. @throws Problem 404, 409, 412
    UndoneImport undo(const Caller& caller, const ImportId& id, const IfMatch& ifMatch);

    /// Continues an import for a while. @throws std::runtime_error if it is asked to stop, so that it is run again
    void run(Tenant tenant, const ImportId& id, const Job& job);
    /// Enqueues runs for abandoned imports, and deletes expired data.
    void tidy(const Job& job);

private:
    void checkOptions(const Caller& caller, ImportOptions& options) const;
    void findStage(const Caller& caller, ImportOptions& options) const;
    ImportState begin(const Caller& caller, const ImportRequest& request, ImportPlan plan) const;
    ImportReport runNow(Tenant tenant, ImportState state);
    enum class Run
    {
        Now,
        /// Unless a job is waiting for it.
        Once,
        /// When another import of the organization has had its turn.
        Later
    };
    void enqueue(Tenant tenant, const ImportId& id, Run when) const;
    enum class Turn
    {
        Others,
        More,
        Done
    };
    /// Runs some steps of an import while holding the organization's lock for long work (`longWorkOf`). Returns `Others` if the lock was
    /// not available in time.
    Turn runInTurn(Tenant tenant, ImportRun& run, std::chrono::milliseconds patience, int steps, const std::stop_token& stop) const;
    void breakOff(Tenant tenant, const ImportId& id) const;
    void forget(Tenant tenant, const ImportId& id, const std::stop_token& stop) const;
    void dropFile(Tenant tenant, const ImportId& id) const;
    Instant now() const { return _tools.context.clock().now(); }

    const ImportTools& _tools;
};

} // namespace portico::crm
