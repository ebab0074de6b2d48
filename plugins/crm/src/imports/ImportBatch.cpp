#include "imports/ImportBatch.h"

#include "contacts/ContactRow.h"
#include "contacts/ContactRules.h"

#include "portico/Text.h"

#include <algorithm>

namespace portico::crm
{

namespace
{

std::vector<ImportMatchKey> allKeysOf(const Contact& contact)
{
    return keysOf(contact, {ImportKey::Email, ImportKey::Phone, ImportKey::ExternalId});
}

/// Keys and names that the rows of a transaction look up.
struct Questions
{
    void add(const ImportRow& row, const ImportRules& rules)
    {
        if (row.parsed.skipped || !row.problems.empty()) return;
        keys.insert(row.keys.begin(), row.keys.end());
        for (auto& key : keysOf(row.made, {ImportKey::ExternalId})) keys.insert(std::move(key));
        if (!row.keys.empty() || !hasIdentity(row.made) || rules.options.matchBy.empty()) return;
        for (auto& key : keysOf(row.made, {ImportKey::Phone})) keys.insert(std::move(key));
        if (row.made.phones.empty()) names.insert(fold(row.made.displayName));
    }

    std::set<ImportMatchKey> keys;
    std::set<std::string> names;
};

} // namespace

void ImportBatch::lookUp(std::span<const ImportRow> rows, const ImportRules& rules)
{
    Questions questions;
    for (const auto& row : rows) questions.add(row, rules);
    for (const auto& key : questions.keys) _found.emplace(key, std::nullopt);
    std::set<ContactId> ids;
    for (auto& [key, id] : _tables->find(questions.keys))
    {
        ids.insert(id);
        _found[key] = id;
    }
    const auto met = _tables->met(ids);
    for (const auto& id : ids) _met.emplace(id, met.contains(id));
    const auto known = _tables->knownNames(questions.names);
    for (const auto& name : questions.names) _names.emplace(name, known.contains(name));
}

void ImportBatch::write()
{
    writeContacts();
    _tables->meet(_newlyMet);
    _newlyMet.clear();
}

void ImportBatch::writeContacts()
{
    if (_waiting.empty()) return;
    _tables->insert(_waiting);
    for (const auto& [key, id] : _waitingKeys) appear(key, id);
    for (const auto& name : _waitingNames) _names[name] = true;
    _waiting.clear();
    _waitingIds.clear();
    _waitingKeys.clear();
    _waitingNames.clear();
}

ImportTables& ImportBatch::tablesWith(const ContactId& id)
{
    if (_waitingIds.contains(id)) writeContacts();
    return *_tables;
}

void ImportBatch::appear(const ImportMatchKey& key, const ContactId& id)
{
    // A contact that was found earlier is older and stays the match.
    if (const auto known = _found.find(key); known != _found.end() && !known->second) known->second = id;
}

std::optional<ContactId> ImportBatch::find(const ImportMatchKey& key)
{
    const auto known = _found.find(key);
    if (known == _found.end())
    {
        if (auto found = _tables->find({key}); !found.empty()) return found.begin()->second;
    }
    else if (known->second)
        return known->second;
    const auto waiting = _waitingKeys.find(key);
    return waiting == _waitingKeys.end() ? std::nullopt : std::optional(waiting->second);
}

bool ImportBatch::mayHave(const ImportMatchKey& phone) const
{
    const auto known = _found.find(phone);
    return known == _found.end() || known->second;
}

bool ImportBatch::mayHaveName(const std::string& name) const
{
    const auto known = _names.find(name);
    return known == _names.end() || known->second;
}

std::vector<ContactId> ImportBatch::alike(const Contact& contact)
{
    const auto phones = keysOf(contact, {ImportKey::Phone});
    const auto name = phones.empty() ? fold(contact.displayName) : std::string();
    if (phones.empty() ? _waitingNames.contains(name)
                       : std::any_of(phones.begin(), phones.end(), [&](const auto& key) { return _waitingKeys.contains(key); }))
        writeContacts();
    const bool any =
        phones.empty() ? mayHaveName(name) : std::any_of(phones.begin(), phones.end(), [&](const auto& key) { return mayHave(key); });
    return any ? _tables->alike(contact) : std::vector<ContactId>();
}

std::optional<Contact> ImportBatch::load(const ContactId& id) { return tablesWith(id).load(id); }

bool ImportBatch::hasNote(const ContactId& id, std::string_view body) { return tablesWith(id).hasNote(id, body); }

bool ImportBatch::isPlaced(const ContactId& id) { return tablesWith(id).isPlaced(id); }

bool ImportBatch::meet(const ContactId& id)
{
    const auto known = _met.find(id);
    if (known == _met.end()) return _tables->meet({id}) > 0;
    if (known->second) return false;
    known->second = true;
    _newlyMet.push_back(id);
    return true;
}

void ImportBatch::insert(Contact contact, ImportExtras extras)
{
    for (const auto& key : allKeysOf(contact)) _waitingKeys.emplace(key, contact.id);
    _waitingNames.insert(fold(contact.displayName));
    _waitingIds.insert(contact.id);
    _waiting.push_back({std::move(contact), std::move(extras)});
}

void ImportBatch::update(const Contact& before, const Contact& after, const ImportExtras& extras)
{
    writeContacts();
    _tables->update(before, after, extras);
    for (const auto* contact : {&before, &after})
        for (const auto& key : allKeysOf(*contact)) _found.erase(key);
    _names[fold(after.displayName)] = true;
}

} // namespace portico::crm
