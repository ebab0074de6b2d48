#include "search/ContactBatch.h"

#include <algorithm>

namespace portico::crm
{

std::map<std::string, ContactView> readBatch(Session& session, const SqlConditions& filters, std::span<const std::string> ids)
{
    // Asks for always as many, so that it is one statement.
    auto values = filters.values();
    std::string list;
    for (std::size_t i = 0; i < contactBatch; ++i)
    {
        values.emplace_back(ids[std::min(i, ids.size() - 1)]);
        list += (i == 0 ? "$" : ", $") + std::to_string(values.size());
    }
    std::map<std::string, ContactView> contacts;
    for (Row row : session.queryValues("SELECT c.id, " + columns<ContactView>("c.") + " FROM contact c WHERE " + filters.text() +
                                           " AND c.id IN (" + list + ")",
                                       values))
    {
        auto contact = row.as<ContactView>();
        contact.counts = {contact.noteCount, contact.attachmentCount};
        contacts.emplace(row.get<std::string>(0), std::move(contact));
    }
    return contacts;
}

} // namespace portico::crm
