#include "exports/ExportSource.h"

namespace portico::crm
{

ExportSource::ExportSource(ExportSlots::Slot slot, Transaction snapshot, ContactSelection selection, ExportStyle style)
    : _slot(std::move(slot)),
      _snapshot(std::move(snapshot)),
      _selection(std::move(selection)),
      _style(std::move(style)),
      _scan(_snapshot, _selection)
{
    // A snapshot is of the first statement that reads.
    _snapshot.value<std::int64_t>("SELECT count(*) FROM (SELECT 1 FROM contact LIMIT 1) AS c");
}

bool ExportSource::read(std::string& out, std::size_t wanted)
{
    const auto start = out.size();
    if (!_writer)
    {
        _writer = makeContactWriter(_style, needsShape(_style) ? shape() : ExportShape{});
        _writer->begin(out);
    }
    while (out.size() - start < wanted)
    {
        const auto* contact = _scan.next();
        if (!contact)
        {
            _writer->end(out);
            return false;
        }
        _writer->write(out, *contact);
    }
    return true;
}

ExportShape ExportSource::shape()
{
    ExportShape shape;
    ContactScan scan(_snapshot, _selection);
    while (const auto* contact = scan.next()) shape.see(exportedContact(*contact, _style));
    return shape;
}

} // namespace portico::crm
