#pragma once

#include "contacts/Contact.h"

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
    /// Members of a contact, or `customFields.<key>`, to the contact whose value is to be taken.
    std::map<std::string, ContactId> prefer;
    bool dryRun = false;
};

enum class LeftOutReason
{
    OtherValue,
    Limit
};

/// A value that the merged contact does not have.
struct LeftOutValue
{
    std::string field;
    ContactId contactId;
    Json value;
    LeftOutReason reason = LeftOutReason::OtherValue;
};

/// Answer of a merge.
struct MergeResult
{
    Contact contact;
    /// Null of a dry run.
    std::optional<MergeId> mergeId;
    std::optional<Instant> undoUntil;
    std::vector<LeftOutValue> leftOut;
};

/// Answer of POST /api/contacts/merges/{mergeId}/undo.
struct UndoneMerge
{
    std::vector<ContactId> restoredIds;
};

} // namespace portico::crm

template <>
struct portico::Schema<portico::crm::MergeInput>
{
    using T = portico::crm::MergeInput;
    static constexpr auto fields = describe(
        field("sourceIds", &T::sourceIds).required().minItems(1).maxItems(10).description("Contacts that go into this one"),
        field("prefer", &T::prefer)
            .description("Whose value to take, by member of the contact or customFields.<key>; of a list, whose elements come first. "
                         "Otherwise the first value there is: this contact's, then the sources' in their order"),
        field("dryRun", &T::dryRun).description("Only shows what would come of it"));
};

template <>
struct portico::Schema<portico::crm::LeftOutReason>
{
    using S = portico::crm::LeftOutReason;
    static constexpr auto choices = portico::choices<S>({{"other_value", S::OtherValue}, {"limit", S::Limit}});
};

template <>
struct portico::Schema<portico::crm::LeftOutValue>
{
    using T = portico::crm::LeftOutValue;
    static constexpr auto fields = describe(field("field", &T::field), field("contactId", &T::contactId), field("value", &T::value),
                                            field("reason", &T::reason).description("limit: the list is full"));
};

template <>
struct portico::Schema<portico::crm::MergeResult>
{
    using T = portico::crm::MergeResult;
    static constexpr auto fields = describe(
        field("contact", &T::contact), field("mergeId", &T::mergeId).description("Null of a dry run"), field("undoUntil", &T::undoUntil),
        field("leftOut", &T::leftOut).description("Values of the merged contacts that the result does not have"));
};

template <>
struct portico::Schema<portico::crm::UndoneMerge>
{
    using T = portico::crm::UndoneMerge;
    static constexpr auto fields = describe(field("restoredIds", &T::restoredIds));
};
