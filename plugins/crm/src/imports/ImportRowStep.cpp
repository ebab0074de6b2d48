#include "imports/ImportRowStep.h"

#include "contacts/ContactRules.h"
#include "imports/ImportIds.h"

#include "portico/Problem.h"

#include <algorithm>

namespace portico::crm
{

namespace
{

RowResult failed(std::vector<ImportProblem> problems) { return {RowOutcome::Failed, false, std::move(problems)}; }

/// Path of the member that a key was made from.
std::string fieldOf(const Contact& contact, const ImportMatchKey& key)
{
    const auto keys = keysOf(contact, {key.kind});
    const auto index = std::to_string(std::find(keys.begin(), keys.end(), key) - keys.begin());
    switch (key.kind)
    {
    case ImportKey::Email:
        return "emails[" + index + "].address";
    case ImportKey::Phone:
        return "phones[" + index + "].number";
    case ImportKey::ExternalId:
        return "externalIds[" + index + "].id";
    }
    return {};
}

ImportProblem duplicate(const ImportRow& row, const ImportMatchKey* key, bool inFile, const ImportPlan& plan)
{
    ImportProblem problem;
    problem.code = inFile ? "duplicate_in_file" : "duplicate_existing";
    problem.message = inFile ? "An earlier row of this file is the same contact" : "There is such a contact already";
    if (!key) return problem;
    problem.field = fieldOf(row.made, *key);
    problem.column = columnOf(plan, problem.field);
    problem.value = key->text;
    return problem;
}

} // namespace

RowResult ImportRowStep::run(ImportRow& row)
{
    row.photoUsed = false;
    if (row.parsed.skipped) return {};
    if (!row.problems.empty()) return failed(row.problems);
    const auto match = find(row);
    if (!match) return create(row);
    const bool inFile = isMadeBy(_scope.importId, match->id) || !_contacts.meet(match->id);
    auto result = runMatched(row, match->id);
    result.duplicateInFile = inFile;
    const bool isDuplicate = result.outcome == RowOutcome::Skipped && _rules.options.onDuplicate == ImportOnDuplicate::Skip;
    if (isDuplicate) result.problems.push_back(duplicate(row, match->key, inFile, _rules.plan));
    return result;
}

RowResult ImportRowStep::runMatched(ImportRow& row, const ContactId& match)
{
    switch (_rules.options.onDuplicate)
    {
    case ImportOnDuplicate::Skip:
        return {};
    case ImportOnDuplicate::Create:
        break;
    case ImportOnDuplicate::Update:
    case ImportOnDuplicate::Merge:
        if (const auto before = _contacts.load(match)) return change(row, *before);
    }
    return create(row);
}

RowResult ImportRowStep::create(ImportRow& row)
{
    if (row.incomplete) return failed({*row.incomplete});
    Contact contact = row.made;
    contact.id = contactIdOf(_scope.importId, row.parsed.row);
    contact.createdAt = contact.updatedAt = _scope.now;
    contact.createdBy = _scope.userId;
    if (auto taken = takenExternalId(contact, contact.id)) return failed({*std::move(taken)});
    if (row.hasPhoto) contact.photoAttachmentId = takePhoto(row);
    _contacts.insert(std::move(contact), {row.parsed.row, row.parsed.notes, _scope.stage != nullptr, row.photoUsed ? &row.photo : nullptr});
    return {RowOutcome::Created, false, {}};
}

RowResult ImportRowStep::change(ImportRow& row, const Contact& before)
{
    Contact after;
    try
    {
        after = combined(before, row, _rules);
    }
    catch (const Problem& problem)
    {
        return failed(problemsOf(problem, row.made, _rules.plan));
    }
    if (before.externalIds != after.externalIds)
        if (auto taken = takenExternalId(after, after.id)) return failed({*std::move(taken)});
    const bool photo = row.hasPhoto && !before.photoAttachmentId && before.counts.value_or(ContactCounts{}).attachments < _rules.files;
    const bool changed = photo || !changedMembers(before, after).empty();
    auto notes = newNotes(row, before.id);
    const bool place = _scope.stage && !_contacts.isPlaced(before.id);
    if (!changed && notes.empty() && !place) return {};
    if (photo) after.photoAttachmentId = takePhoto(row);
    if (changed)
    {
        ++after.version;
        after.updatedAt = _scope.now;
    }
    _contacts.update(before, after, {row.parsed.row, std::move(notes), place, row.photoUsed ? &row.photo : nullptr});
    return {RowOutcome::Updated, false, {}};
}

std::optional<ImportRowStep::Match> ImportRowStep::find(const ImportRow& row)
{
    for (const auto& key : row.keys)
        if (auto found = _contacts.find(key)) return Match{*std::move(found), &key};
    if (row.keys.empty() && !row.incomplete && !_rules.options.matchBy.empty()) return findSame(row);
    return std::nullopt;
}

std::optional<ImportRowStep::Match> ImportRowStep::findSame(const ImportRow& row)
{
    for (const auto& id : _contacts.alike(row.made))
        if (const auto contact = _contacts.load(id); contact && saysNothingNew(*contact, row, _rules)) return Match{id, nullptr};
    return std::nullopt;
}

std::optional<ImportProblem> ImportRowStep::takenExternalId(const Contact& contact, const ContactId& self)
{
    for (std::size_t i = 0; i < contact.externalIds.size(); ++i)
    {
        const auto& external = contact.externalIds[i];
        const auto holder = _contacts.find({ImportKey::ExternalId, external.id, external.system});
        if (!holder || *holder == self) continue;
        auto field = "externalIds[" + std::to_string(i) + "].id";
        auto column = std::string(columnOf(_rules.plan, field));
        return ImportProblem{std::move(column), std::move(field), std::string(duplicateCode(*holder)),
                             "Another contact has this id of that system", external.id};
    }
    return std::nullopt;
}

AttachmentId ImportRowStep::takePhoto(ImportRow& row) const
{
    row.photoUsed = true;
    return row.photo ? row.photo->id : photoIdOf(_scope.importId, row.parsed.row);
}

bool ImportRowStep::canUsePhoto(const ImportRow& row)
{
    const auto match = find(row);
    if (!match || _rules.options.onDuplicate == ImportOnDuplicate::Create) return true;
    if (_rules.options.onDuplicate == ImportOnDuplicate::Skip) return false;
    const auto contact = contactTable.find(_scope.transaction, _scope.tenant, match->id);
    return contact && contact->document.text.find("\"photoAttachmentId\":null") != std::string::npos;
}

std::string_view ImportRowStep::duplicateCode(const ContactId& other) const
{
    return isMadeBy(_scope.importId, other) ? "duplicate_in_file" : "duplicate_existing";
}

std::vector<std::string> ImportRowStep::newNotes(const ImportRow& row, const ContactId& id)
{
    std::vector<std::string> notes;
    for (const auto& body : row.parsed.notes)
        if (!_contacts.hasNote(id, body)) notes.push_back(body);
    return notes;
}

} // namespace portico::crm
