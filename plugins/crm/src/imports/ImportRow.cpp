#include "imports/ImportRow.h"

#include "attachments/AttachmentService.h"
#include "attachments/ContentType.h"
#include "contacts/ContactRules.h"
#include "fields/CustomValues.h"
#include "imports/ImportMatch.h"
#include "text/ContactBuilder.h"
#include "text/FieldPath.h"
#include "text/FieldValue.h"
#include "text/Folding.h"

#include "portico/Json.h"

#include <algorithm>

namespace portico::crm
{

namespace
{

constexpr std::string_view missingIdentity = "missing_identity";

bool isNamedIn(const std::vector<std::string>& members, std::string_view member)
{
    return std::find(members.begin(), members.end(), member) != members.end();
}

/// What only we set, whatever a reader left there.
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
    // A file that isNamedIn the source is an export of ours: then it is not the import where the contact came from.
    if (contact.source) return;
    contact.source = ContactSource::Import;
    if (contact.sourceDetail.empty()) contact.sourceDetail = rules.fileName;
}

/// Cells of files that have no types are texts: they become what their field says.
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

/// What the contact has where a fault was found, cut.
std::string shownValueFor(const Contact& contact, std::string_view field)
{
    constexpr std::size_t longest = 100;
    const auto path = FieldPath::parse(field);
    return path ? std::string(cutText(valueAt(contact, *path), longest)) : std::string();
}

void addProblems(ImportRow& row, const Problem& problem, const ImportPlan& plan)
{
    for (auto& found : problemsOf(problem, row.made, plan))
    {
        if (found.code == missingIdentity)
        {
            row.incomplete = std::move(found);
            continue;
        }
        const bool known = std::any_of(row.problems.begin(), row.problems.end(),
                                       [&](const ImportProblem& each) { return each.field == found.field && each.code == found.code; });
        if (!known) row.problems.push_back(std::move(found));
    }
}

} // namespace

std::vector<ImportProblem> problemsOf(const Problem& problem, const Contact& contact, const ImportPlan& plan)
{
    std::vector<ImportProblem> problems;
    for (const auto& error : problem.errors())
        problems.push_back(
            {std::string(columnOf(plan, error.field)), error.field, error.code, error.message, shownValueFor(contact, error.field)});
    if (problems.empty()) problems.push_back({{}, {}, problem.code(), problem.detail(), {}});
    return problems;
}

void prepare(ImportRow& row, const ImportRules& rules)
{
    auto& parsed = row.parsed;
    row.problems = parsed.problems;
    row.warnings = parsed.warnings;
    row.hasPhoto = false;
    row.incomplete.reset();
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

bool saysNothingNew(const Contact& contact, const ImportRow& row, const ImportRules& rules)
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

} // namespace portico::crm
