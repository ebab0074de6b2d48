#include "exports/ContactScan.h"

namespace portico::crm
{

namespace
{

constexpr int contactsPerRead = 200;

const std::string declareCursor = "DECLARE contact_scan NO SCROLL CURSOR FOR ";
const std::string fetchBatch = "FETCH FORWARD " + std::to_string(contactsPerRead) + " FROM contact_scan";

} // namespace

ContactSelection::ContactSelection(const ContactFilter& filter, Dialect dialect, Tenant tenant, const ListSettings& settings)
    : _dialect(dialect)
{
    addFilter(_conditions, filter, dialect, tenant, settings);
    _sql = dialect == Dialect::PostgreSQL ? declareCursor : std::string{};
    _sql += "SELECT " + columns<ContactView>("c.") + " FROM contact c WHERE " + _conditions.text() + " ORDER BY c.created_at, c.id";
}

const ContactView* ContactScan::next()
{
    while (!_ended)
    {
        if (!_rows) open();
        if (const auto row = _rows->next())
        {
            ++_taken;
            _current = row->as<ContactView>();
            _current.counts = {_current.noteCount, _current.attachmentCount};
            return &_current;
        }
        close();
    }
    return nullptr;
}

void ContactScan::open()
{
    if (_selection.dialect() == Dialect::SQLite)
    {
        _rows.emplace(_session.queryValues(_selection.sql(), _selection.values()));
        return;
    }
    if (!_begun) _session.queryValues(_selection.sql(), _selection.values());
    _begun = true;
    _taken = 0;
    _rows.emplace(_session.query(fetchBatch));
}

void ContactScan::close()
{
    _rows.reset();
    if (_selection.dialect() == Dialect::PostgreSQL)
    {
        if (_taken == contactsPerRead) return;
        _session.execute("CLOSE contact_scan");
    }
    _ended = true;
}

} // namespace portico::crm
