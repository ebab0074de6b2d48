#include "exports/ExportMaker.h"

#include "exports/ExportFormats.h"

namespace portico::crm
{

namespace
{

/// Some milliseconds of work.
constexpr int contactsAtATime = 500;

} // namespace

ExportMaker::ExportMaker(ExportSlots::Slot session, Transaction snapshot, ContactSelection selection, ExportStyle style)
    : _session(std::move(session)), _snapshot(std::move(snapshot)), _selection(std::move(selection)), _style(std::move(style))
{
    // A snapshot is of the first statement that reads.
    _snapshot.value<std::int64_t>("SELECT count(*) FROM (SELECT 1 FROM contact LIMIT 1) AS c");
    _scan.emplace(_snapshot, _selection);
}

bool ExportMaker::makeSome(std::string& out)
{
    if (!_writer && !needsShape(_style)) beginFile(out);
    for (int i = 0; i < contactsAtATime; ++i)
        if (!takeOne(out)) return false;
    return true;
}

bool ExportMaker::takeOne(std::string& out)
{
    const auto* contact = _scan->next();
    if (contact && _writer)
        _writer->write(out, *contact);
    else if (contact)
        _shape.see(exportedContact(*contact, _style));
    else if (_writer)
    {
        _writer->end(out);
        return false;
    }
    else
    {
        _scan.emplace(_snapshot, _selection);
        beginFile(out);
    }
    return true;
}

void ExportMaker::beginFile(std::string& out)
{
    _writer = makeContactWriter(_style, _shape);
    _writer->begin(out);
}

} // namespace portico::crm
