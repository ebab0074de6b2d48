#pragma once

#include "imports/ImportFiles.h"
#include "imports/ImportOwners.h"
#include "imports/ImportRowStep.h"
#include "imports/ImportTools.h"
#include "imports/ImportUndo.h"

#include "portico/Tenant.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace portico::crm
{

/// Someone else goes on with the import: what this run was about to do has been done.
class ImportOvertaken : public std::runtime_error
{
public:
    ImportOvertaken() : std::runtime_error("the import is being run by somebody else") {}
};

/// The file of an import is no longer there: it cannot go on.
class ImportFileGone : public std::runtime_error
{
public:
    ImportFileGone() : std::runtime_error("the file of an import is gone") {}
};

/// Brings one import to its end, a transaction at a time. Where it stands is written in each transaction, so that a run that ended anywhere
/// is followed by another that goes on from there, and of two that run at the same time one gives up. Used by one thread.
class ImportRun
{
public:
    ImportRun(const ImportTools& tools, std::string organizationId, ImportState state);
    ~ImportRun();

    /// Does what is next; false when nothing is left to do. @throws ImportOvertaken, ImportFileGone, and what databases and directories
    /// throw
    bool step();
    const ImportState& state() const noexcept { return _state; }

private:
    /// Rows of one transaction.
    struct Batch
    {
        std::vector<ImportRow> rows;
        std::size_t count = 0;
        bool last = false;
    };

    void open();
    void readBatch();
    void findOwner(ImportRow& row);
    ImportRules rules(const CustomFields& fields) const;
    void prepareBatch(const CustomFields& fields);
    /// Writes the photos of rows that can use them, before the transaction that makes them somebody's.
    void stagePhotos();
    void stagePhoto(ImportRow& row);
    void discardPhotos(bool all) noexcept;
    void runBatch();
    void storeBatch();
    void writeBatch(Transaction& transaction, ImportState& state);
    /// Keeps the custom fields from changing until the end of the transaction; if they have changed, the rows are prepared again.
    void keepFields(Transaction& transaction);
    ImportScope scopeOf(Transaction& transaction, const ImportState& state, const ImportStage* stage) const;
    void takeRow(ImportState& state, ImportRow& row, ImportRowStep& step, std::vector<ImportErrorRow>& refused) const;
    void endOfFile(Transaction& transaction, ImportState& state) const;
    void revertSome();
    void clearSome();

    /// Runs a unit of work on the import in a transaction, and keeps what it made of the record.
    template <class F>
    void change(F&& work);
    Instant now() const { return _tools.context.clock().now(); }

    const ImportTools& _tools;
    Tenant tenant() const { return Tenant::fromStored(_organizationId); }

    const std::string _organizationId;
    ImportState _state;
    ImportOwners _owners;
    std::unique_ptr<BlobImportFile> _file;
    std::unique_ptr<ImportReader> _reader;
    /// Rows that the reader has given.
    std::int64_t _rowsRead = 0;
    Batch _batch;
    CustomFields _fields;
    UndoCursor _undone;
};

} // namespace portico::crm
