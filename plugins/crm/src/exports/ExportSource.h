#pragma once

#include "exports/ExportMaker.h"
#include "exports/TemporaryText.h"

#include "portico/Logger.h"
#include "portico/Response.h"

#include <memory>

namespace portico::crm
{

/// File of an export. It is made completely before its first byte is sent, because a slow client must not keep a snapshot open. An open
/// snapshot occupies a session and blocks cleanup: SQLite's log and PostgreSQL's tables would grow.
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
