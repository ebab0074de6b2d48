#include "exports/ExportSource.h"

#include <exception>

namespace portico::crm
{

ExportSource::ExportSource(ExportSlots::Slot place, std::unique_ptr<ExportMaker> maker, Logger& logger)
    : _place(std::move(place)), _maker(std::move(maker)), _logger(logger)
{
}

bool ExportSource::read(std::string& out, std::size_t wanted)
try
{
    return makeOrRead(out, wanted);
}
catch (const std::exception& error)
{
    _logger.error("An export broke off", {{"error", error.what()}});
    throw;
}

bool ExportSource::makeOrRead(std::string& out, std::size_t wanted)
{
    if (_maker)
    {
        std::string piece;
        const bool more = _maker->makeSome(piece);
        _file.append(piece);
        // With nothing given out the next call comes as soon as those had their turn who wait for a worker, too.
        if (more) return true;
        _maker.reset();
    }
    return _file.read(out, wanted);
}

} // namespace portico::crm
