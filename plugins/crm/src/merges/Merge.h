#pragma once

#include "records/Contact.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace portico::crm
{

/// Body of POST /api/contacts/{id}/merge.
struct MergeInput
{
    std::vector<ContactId> sourceIds;
    /// Maps members of a contact, or `customFields.<key>`, to the contact whose value is kept.
    std::map<std::string, ContactId> prefer;
    bool dryRun = false;
};

constexpr auto schemaOf(const MergeInput*)
{
    return describe(field<&MergeInput::sourceIds>().required().minItems(1).maxItems(10).description("Contacts to merge into this one"),
                    field<&MergeInput::prefer>().description(
                        "Contact whose value is used, by member or `customFields.<key>`. In lists its elements come "
                        "first. Default: the first non-empty value, this contact before the sources"),
                    field<&MergeInput::dryRun>().description("Returns the result without changes"));
}

enum class LeftOutReason
{
    OtherValue,
    Limit
};

constexpr auto schemaOf(const LeftOutReason*)
{
    using enum LeftOutReason;
    return portico::choices<LeftOutReason>({{"other_value", OtherValue}, {"limit", Limit}});
}

/// A value that the merged contact does not have.
struct LeftOutValue
{
    std::string field;
    ContactId contactId;
    Json value;
    LeftOutReason reason = LeftOutReason::OtherValue;
};

constexpr auto schemaOf(const LeftOutValue*)
{
    return describe(members<&LeftOutValue::field, &LeftOutValue::contactId, &LeftOutValue::value>(),
                    field<&LeftOutValue::reason>().description("`limit` if the list is full"));
}

/// Answer of a merge.
struct MergeResult
{
    Contact contact;
    /// Null of a dry run.
    std::optional<MergeId> mergeId;
    std::optional<Instant> undoUntil;
    std::vector<LeftOutValue> leftOut;
};

constexpr auto schemaOf(const MergeResult*)
{
    return describe(field<&MergeResult::contact>(), field<&MergeResult::mergeId>().description("null for a dry run"),
                    field<&MergeResult::undoUntil>(),
                    field<&MergeResult::leftOut>().description("Values of the merged contacts that the result does not contain"));
}

/// Query of GET /api/contacts/merges.
struct MergeFilter
{
    std::optional<ContactId> contactId;
    bool all = false;
};

constexpr auto schemaOf(const MergeFilter*)
{
    return describe(
        field<&MergeFilter::contactId>().description("Only merges into this contact"),
        field<&MergeFilter::all>().description("Includes merges that cannot be undone because the contact was changed or deleted later"));
}

/// A contact as a merge knew it.
struct MergedContact
{
    ContactId id;
    std::string displayName;
};

constexpr auto schemaOf(const MergedContact*) { return describe(members<&MergedContact::id, &MergedContact::displayName>()); }

/// A merge that was not undone, in a list.
struct MergeView
{
    MergeId mergeId;
    MergedContact contact;
    std::vector<MergedContact> sources;
    bool undoable = true;
    Instant undoUntil{};
    Instant mergedAt{};
    std::string mergedBy;
};

constexpr auto schemaOf(const MergeView*)
{
    return describe(field<&MergeView::mergeId>(), field<&MergeView::contact>().description("Target contact with its name before the merge"),
                    field<&MergeView::sources>().description("Contacts that were merged into the target"),
                    field<&MergeView::undoable>().description("False if the contact was changed or deleted later"),
                    members<&MergeView::undoUntil, &MergeView::mergedAt, &MergeView::mergedBy>());
}

/// Answer of POST /api/contacts/merges/{mergeId}/undo.
struct UndoneMerge
{
    std::vector<ContactId> restoredIds;
};

constexpr auto schemaOf(const UndoneMerge*) { return describe(field<&UndoneMerge::restoredIds>()); }

} // namespace portico::crm
