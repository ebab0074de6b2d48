#pragma once

#include "imports/ImportOwners.h"
#include "imports/ImportTables.h"
#include "imports/ImportUndo.h"

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace portico::crm
{

/// Thrown if another run of the import has already done this run's next step.
class ImportOvertaken : public std::runtime_error
{
public:
    ImportOvertaken() : std::runtime_error("another run continues the import") {}
};

/// Thrown if the file of an import no longer exists, so that it cannot continue.
class ImportFileGone : public std::runtime_error
{
public:
    ImportFileGone() : std::runtime_error("the file of an import is gone") {}
};

/// Runs an import to its end, one transaction at a time. Each transaction stores the progress, so that another run can continue after an
/// interruption. Of two concurrent runs one gives up. Used by one thread.
class ImportRun
{
public:
    ImportRun(const ImportTools& tools, std::string organizationId, ImportState state);
    ~ImportRun();

    /// Runs the next step; returns false if nothing is left to do.
    /// @throws ImportOvertaken, ImportFileGone, and exceptions of databases and directories
    bool step();
    const ImportState& state() const noexcept { return _state; }

private:
    void open();
    void readRows();
    void findOwner(ImportRow& row);
    ImportRules rules() const;
    void prepareRows();
    /// Writes the photos of rows that can use them, before the transaction that attaches them.
    void stagePhotos();
    void stagePhoto(ImportRow& row);
    void discardPhotos() noexcept;
    void runRows();
    /// Processes the next rows in one transaction. Returns their number.
    std::size_t storeSome(std::span<ImportRow> rows);
    std::size_t writeSome(Transaction& transaction, ImportState& state, std::span<ImportRow> rows);
    /// Keeps the custom fields from changing until the end of the transaction; if they have changed, the rows are prepared again.
    void keepFields(Transaction& transaction, std::span<const ImportRow> rows);
    void endOfFile(Transaction& transaction, ImportState& state) const;
    void revertSome();
    void clearSome();

    /// Runs a unit of work in a transaction, and keeps the new state after the commit.
    template <class F>
    void change(F&& work);
    Instant now() const { return _tools.context.clock().now(); }
    Tenant tenant() const { return Tenant::fromStored(_organizationId); }

    const ImportTools& _tools;
    const std::string _organizationId;
    ImportState _state;
    ImportOwners _owners;
    std::unique_ptr<ImportFile> _file;
    std::unique_ptr<ImportReader> _reader;
    /// Rows that the reader has given.
    std::int64_t _rowsRead = 0;
    /// Read together. Beyond `_rows` there is memory to be used again.
    std::vector<ImportRow> _memory;
    std::span<ImportRow> _rows;
    bool _last = false;
    CustomFields _fields;
    UndoCursor _undone;
};

} // namespace portico::crm
