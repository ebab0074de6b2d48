#pragma once

#include "exports/ExportMaker.h"
#include "exports/TemporaryText.h"

#include "portico/Logger.h"
#include "portico/Response.h"

#include <memory>

namespace portico::crm
{

/// The file of an export. A reader may take its time, and a snapshot that stays open keeps a session from everybody else and the database
/// from being tidied up: SQLite's log grows, and so do PostgreSQL's tables. So all of the file is made before its first byte is given.
class ExportSource final : public BodySource
{
public:
    ExportSource(ExportSlots::Slot place, std::unique_ptr<ExportMaker> maker, Logger& logger);
    bool read(std::string& out, std::size_t wanted) override;

private:
    bool makeOrRead(std::string& out, std::size_t wanted);

    ExportSlots::Slot _place;
    std::unique_ptr<ExportMaker> _maker;
    Logger& _logger;
    TemporaryText _file;
};

} // namespace portico::crm
