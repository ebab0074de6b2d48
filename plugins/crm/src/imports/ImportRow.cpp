#include "imports/ImportRow.h"

#include "attachments/AttachmentService.h"
#include "attachments/ContentType.h"
#include "contacts/ContactRules.h"
#include "exchange/ContactBuilder.h"
#include "exchange/FieldPath.h"
#include "exchange/FieldValue.h"
#include "exchange/ImportSource.h"
#include "imports/ImportBatch.h"
#include "imports/ImportIds.h"
#include "imports/ImportMatch.h"
#include "imports/ImportSample.h"
#include "records/Attachment.h"
#include "records/Contact.h"
#include "records/CustomField.h"
#include "records/CustomValues.h"

#include "portico/Json.h"
#include "portico/Problem.h"
#include "portico/Text.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

namespace
{

bool isNamedIn(const std::vector<std::string>& members, std::string_view member)
{
    return std::find(members.begin(), members.end(), member) != members.end();
}

/// Clears members that only the service sets.
void dropReadOnly(Contact& contact)
{
    contact.id = {};
    contact.companyId.reset();
    contact.photoAttachmentId.reset();
    contact.deletedAt.reset();
    contact.version = 1;
    contact.pipelines.reset();
    contact.counts.reset();
}

void setCommon(ParsedRow& parsed, const ImportRules& rules)
{
    auto& contact = parsed.contact;
    const auto& options = rules.options;
    if (options.ownerUserId) contact.ownerUserId = options.ownerUserId;
    if (contact.ownerUserId && !isNamedIn(parsed.members, "ownerUserId")) parsed.members.emplace_back("ownerUserId");
    // A file that names the source is an export of ours: then it is not the import where the contact came from.
    if (contact.source) return;
    contact.source = ContactSource::Import;
    if (contact.sourceDetail.empty()) contact.sourceDetail = rules.fileName;
}

/// Converts text cells by the type of their custom field.
void readCustomFields(Contact& contact, const ImportRules& rules)
{
    if (rules.plan.format == ImportFormat::Json || rules.plan.format == ImportFormat::Ndjson) return;
    for (auto& [key, value] : contact.customFields)
    {
        const auto field = rules.fields.find(key);
        if (field != rules.fields.end() && value.text.starts_with('"'))
            value = customValueFromText(field->second, fromJson<std::string>(value.text));
    }
}

void checkPhoto(ImportRow& row)
{
    if (!row.parsed.photo) return;
    const auto& bytes = row.parsed.photo->bytes;
    if (bytes.size() > AttachmentService::photoBytes)
        row.warnings.push_back({{}, "photoAttachmentId", "photo_too_large", "The photo is larger than 1 MiB and left out", {}});
    else if (!isPhotoType(sniffContentType(bytes)))
        row.warnings.push_back({{}, "photoAttachmentId", "unknown_option", "The photo is not a picture and was left out", {}});
    else
        row.hasPhoto = true;
}

/// Returns the contact's value at fault, truncated.
std::string shownValueFor(const Contact& contact, std::string_view field)
{
    constexpr std::size_t longest = 100;
    const auto path = FieldPath::parse(field);
    return path ? std::string(firstCharacters(valueAt(contact, *path), longest)) : std::string();
}

/// The faults of a contact as problems of its row.
std::vector<ImportProblem> problemsOf(const Problem& problem, const Contact& contact, const ImportPlan& plan)
{
    std::vector<ImportProblem> problems;
    for (const auto& error : problem.errors())
        problems.push_back(
            {std::string(columnOf(plan, error.field)), error.field, error.code, error.message, shownValueFor(contact, error.field)});
    if (problems.empty()) problems.push_back({{}, {}, problem.code(), problem.detail(), {}});
    return problems;
}

void addProblems(ImportRow& row, const Problem& problem, const ImportPlan& plan)
{
    for (auto& found : problemsOf(problem, row.made, plan))
    {
        auto& problems = isForNewContacts(found) ? row.incomplete : row.problems;
        const bool known = std::any_of(problems.begin(), problems.end(),
                                       [&](const ImportProblem& each) { return each.field == found.field && each.code == found.code; });
        if (!known) problems.push_back(std::move(found));
    }
}

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

/// Returns the existing contact after the row's changes, in its final form. @throws Problem 400
Contact combined(const Contact& before, const ImportRow& row, const ImportRules& rules)
{
    Contact after = before;
    if (rules.options.onDuplicate == ImportOnDuplicate::Merge)
        fillIn(after, row.made, row.parsed.members);
    else
        overwrite(after, row.made, row.parsed.members);
    addTags(after, rules.options.tags);
    validate(after);
    complete(after, &before, rules.callingCode, rules.fields);
    return after;
}

/// Returns true if a contact already has all values of a row, ignoring those that the import sets for every row. Also true for the same
/// name and phone number. Used to recognize rows without a key.
bool isSubsetOf(const Contact& contact, const ImportRow& row, const ImportRules& rules)
{
    if (!row.made.phones.empty() && fold(contact.displayName) == fold(row.made.displayName)) return true;
    auto members = row.parsed.members;
    std::erase_if(
        members, [&](const std::string& name)
        { return name == "tags" || name == "source" || name == "sourceDetail" || (name == "ownerUserId" && rules.options.ownerUserId); });
    const auto& tags = row.parsed.contact.tags;
    return contains(contact, row.made, members) &&
           std::all_of(tags.begin(), tags.end(),
                       [&](const std::string& tag)
                       { return std::find(contact.tags.begin(), contact.tags.end(), trim(tag)) != contact.tags.end(); });
}

/// Processes one row: finds its contact, and creates, changes or keeps it.
class ImportRowStep
{
public:
    ImportRowStep(ImportBatch& contacts, const ImportScope& scope, const ImportRules& rules)
        : _contacts(contacts), _scope(scope), _rules(rules)
    {
    }
    RowResult run(ImportRow& row)
    {
        row.photoUsed = false;
        if (row.parsed.skipped) return {};
        if (!row.problems.empty()) return failed(row.problems);
        const auto match = find(row);
        if (!match) return create(row);
        const bool inFile = isMadeBy(_scope.importId(), match->id) || !_contacts.meet(match->id);
        auto result = runMatched(row, match->id);
        result.duplicateInFile = inFile;
        result.match = match->id;
        if (match->key) result.matchedOn = match->key->kind;
        const bool isDuplicate = result.outcome == RowOutcome::Skipped && _rules.options.onDuplicate == ImportOnDuplicate::Skip;
        if (isDuplicate) result.problems.push_back(duplicate(row, match->key, inFile, _rules.plan));
        return result;
    }

    /// True if the row would make a contact or change one that has no photo: without looking at rows of the same transaction.
    bool canUsePhoto(const ImportRow& row)
    {
        const auto match = find(row);
        if (!match || _rules.options.onDuplicate == ImportOnDuplicate::Create) return row.incomplete.empty();
        if (_rules.options.onDuplicate == ImportOnDuplicate::Skip) return false;
        const auto contact = contactTable.find(_scope.transaction, _scope.tenant, match->id);
        return contact && contact->document.text.find("\"photoAttachmentId\":null") != std::string::npos;
    }

private:
    RowResult runMatched(ImportRow& row, const ContactId& match)
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

    RowResult create(ImportRow& row)
    {
        if (!row.incomplete.empty()) return failed(row.incomplete);
        Contact contact = row.made;
        contact.id = contactIdOf(_scope.importId(), row.parsed.row);
        contact.createdAt = contact.updatedAt = _scope.now;
        contact.createdBy = _scope.state.createdBy;
        if (auto taken = takenExternalId(contact, contact.id)) return failed({*std::move(taken)});
        if (row.hasPhoto) contact.photoAttachmentId = takePhoto(row);
        _contacts.insert(std::move(contact),
                         {row.parsed.row, row.parsed.notes, _scope.stage.has_value(), row.photoUsed ? &row.photo : nullptr});
        return {RowOutcome::Created, false, {}};
    }

    RowResult change(ImportRow& row, const Contact& before)
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
        RowResult result{RowOutcome::Updated};
        if (wantsSample(_scope.state)) result.changed = std::move(after);
        return result;
    }

    struct Match
    {
        ContactId id;
        /// The row's key that found it, or null.
        const ImportMatchKey* key = nullptr;
    };
    std::optional<Match> find(const ImportRow& row)
    {
        for (const auto& key : row.keys)
            if (auto found = _contacts.find(key)) return Match{*std::move(found), &key};
        if (row.keys.empty() && hasIdentity(row.made) && !_rules.options.matchBy.empty()) return findSame(row);
        return std::nullopt;
    }

    /// Finds the contact of a row without a key by its values.
    std::optional<Match> findSame(const ImportRow& row)
    {
        for (const auto& id : _contacts.alike(row.made))
            if (const auto contact = _contacts.load(id); contact && isSubsetOf(*contact, row, _rules)) return Match{id, nullptr};
        return std::nullopt;
    }

    /// The first external id that another contact has.
    std::optional<ImportProblem> takenExternalId(const Contact& contact, const ContactId& self)
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

    /// Id that the row's photo gets; the row remembers that it is used.
    AttachmentId takePhoto(ImportRow& row) const
    {
        row.photoUsed = true;
        return row.photo ? row.photo->id : photoIdOf(_scope.importId(), row.parsed.row);
    }

    std::string_view duplicateCode(const ContactId& other) const
    {
        return isMadeBy(_scope.importId(), other) ? "duplicate_in_file" : "duplicate_existing";
    }

    std::vector<std::string> newNotes(const ImportRow& row, const ContactId& id)
    {
        std::vector<std::string> notes;
        for (const auto& body : row.parsed.notes)
            if (!_contacts.hasNote(id, body)) notes.push_back(body);
        return notes;
    }

    ImportBatch& _contacts;
    const ImportScope& _scope;
    const ImportRules& _rules;
};

} // namespace

bool isForNewContacts(const ImportProblem& problem)
{
    return problem.code == "missing_identity" || (problem.code == "required" && problem.field.starts_with("customFields."));
}

void prepare(ImportRow& row, const ImportRules& rules)
{
    auto& parsed = row.parsed;
    row.problems.clear();
    row.incomplete.clear();
    for (const auto& problem : parsed.problems) (isForNewContacts(problem) ? row.incomplete : row.problems).push_back(problem);
    row.warnings = parsed.warnings;
    row.hasPhoto = false;
    row.keys.clear();
    if (parsed.skipped || !row.problems.empty()) return;
    dropReadOnly(parsed.contact);
    setCommon(parsed, rules);
    readCustomFields(parsed.contact, rules);
    checkPhoto(row);
    row.made = parsed.contact;
    addTags(row.made, rules.options.tags);
    try
    {
        validate(row.made);
        complete(row.made, nullptr, rules.callingCode, rules.fields);
    }
    catch (const Problem& problem)
    {
        addProblems(row, problem, rules.plan);
    }
    row.keys = keysOf(row.made, rules.options.matchBy);
}

RowResult takeRow(ImportRow& row, ImportBatch& contacts, const ImportScope& scope, const ImportRules& rules)
{
    return ImportRowStep(contacts, scope, rules).run(row);
}

bool canUsePhoto(const ImportRow& row, ImportBatch& contacts, const ImportScope& scope, const ImportRules& rules)
{
    return ImportRowStep(contacts, scope, rules).canUsePhoto(row);
}

} // namespace portico::crm
