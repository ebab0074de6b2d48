#include "exports/ContactScan.h"

#include <limits>
#include <utility>

namespace portico::crm
{

namespace
{

constexpr std::int64_t batchSize = 200;

} // namespace

ContactSelection::ContactSelection(const ContactFilter& filter, const ContactText& text, Dialect dialect, std::string_view organizationId,
                                   const ListSettings& settings)
{
    addFilter(_conditions, filter, text, dialect, organizationId, settings);
    const auto placeholder = [&](std::size_t behind) { return '$' + std::to_string(_conditions.values().size() + behind); };
    _sql = "SELECT c.created_at, c.id, " + columns<ContactView>("c.") + " FROM contact c WHERE " + _conditions.text() +
           " AND (c.created_at, c.id) > (" + placeholder(1) + ", " + placeholder(2) + ") ORDER BY c.created_at, c.id LIMIT " +
           placeholder(3);
}

const ContactView* ContactScan::next()
{
    if (_batch.empty() && !_last) readBatch();
    if (_batch.empty()) return nullptr;
    _current = std::move(_batch.front());
    _batch.pop_front();
    return &_current;
}

void ContactScan::readBatch()
{
    auto values = _selection.values();
    const std::string id = _id;
    values.emplace_back(_first ? std::numeric_limits<std::int64_t>::min() : _createdAt);
    values.emplace_back(id);
    values.emplace_back(batchSize);
    for (Row row : _session.queryValues(_selection.sql(), values))
    {
        _createdAt = row.get<std::int64_t>(0);
        _id = row.get<std::string>(1);
        auto& contact = _batch.emplace_back(row.as<ContactView>());
        contact.counts = {contact.noteCount, contact.attachmentCount};
    }
    _first = false;
    _last = std::cmp_less(_batch.size(), batchSize);
}

} // namespace portico::crm
