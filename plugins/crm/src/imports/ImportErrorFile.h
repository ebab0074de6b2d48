#pragma once

#include "imports/ImportStore.h"

#include "portico/Response.h"

#include <string>

namespace portico::crm
{

/// The error file of an import: the columns of its file and two more with what is wrong, which an import leaves aside. Read from the
/// database in pages while it is sent.
class ImportErrorFile final : public BodySource
{
public:
    ImportErrorFile(Database& database, const ImportStore& store, std::string organizationId, ImportRecord record);
    bool read(std::string& out, std::size_t wanted) override;

private:
    Database& _database;
    const ImportStore& _store;
    const std::string _organizationId;
    const ImportRecord _record;
    bool _begun = false;
    std::int64_t _lastRow = 0;
};

} // namespace portico::crm
