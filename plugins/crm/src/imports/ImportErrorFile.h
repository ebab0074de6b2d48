#pragma once

#include "exports/ContactWriter.h"
#include "imports/ImportStore.h"

#include "portico/Response.h"

#include <memory>
#include <string>
#include <vector>

namespace portico::crm
{

/// The error file of an import: the columns of its file, or of generic CSV where it had none, and two more with what is wrong, which an
/// import leaves aside. Read from the database in pages while it is sent.
class ImportErrorFile final : public BodySource
{
public:
    ImportErrorFile(Database& database, const ImportStore& store, std::string organizationId, ImportState state);
    bool read(std::string& out, std::size_t wanted) override;

private:
    std::vector<ImportErrorRow> page(std::int64_t after);
    void begin(std::string& out);
    void append(std::string& out, const ImportErrorRow& row);

    Database& _database;
    const ImportStore& _store;
    const std::string _organizationId;
    const ImportState _state;
    /// For files without columns.
    std::unique_ptr<ContactWriter> _writer;
    bool _begun = false;
    std::int64_t _lastRow = 0;
};

} // namespace portico::crm
