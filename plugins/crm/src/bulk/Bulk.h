#pragma once

#include "Ids.h"
#include "records/ContactRequests.h"

#include "portico/Schema.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace portico::crm
{

/// Which contacts, as in their list, apart from deleted ones: they are not changed.
struct BulkFilter : ContactFilter
{
};

constexpr auto schemaOf(const BulkFilter*) { return describe(contactConditions()); }

struct BulkDoNotContact
{
    std::optional<bool> email;
    std::optional<bool> phone;
    std::optional<bool> sms;
};

constexpr auto schemaOf(const BulkDoNotContact*)
{
    return describe(field<&BulkDoNotContact::email>().omitEmpty(), field<&BulkDoNotContact::phone>().omitEmpty(),
                    field<&BulkDoNotContact::sms>().omitEmpty());
}

/// Change that is applied to each contact.
struct BulkChange
{
    std::vector<std::string> addTags;
    std::vector<std::string> removeTags;
    std::optional<UserId> ownerUserId;
    std::optional<Lifecycle> lifecycle;
    std::optional<BulkDoNotContact> doNotContact;
    std::optional<PipelineId> pipelineId;
    std::optional<StageId> stageId;
    std::string lostReason;
    bool remove = false;
};

constexpr auto schemaOf(const BulkChange*)
{
    return describe(
        field<&BulkChange::addTags>().maxItems(50).maxLength(50), field<&BulkChange::removeTags>().maxItems(50).maxLength(50),
        field<&BulkChange::ownerUserId>().omitEmpty().description("null removes the owner"), field<&BulkChange::lifecycle>().omitEmpty(),
        field<&BulkChange::doNotContact>().omitEmpty().description("Absent members remain unchanged"),
        field<&BulkChange::pipelineId>().omitEmpty().description("Default: the pipeline of the stage, else the default pipeline"),
        field<&BulkChange::stageId>().omitEmpty().description("null removes the contacts from the board"),
        field<&BulkChange::lostReason>().trimmed().maxLength(300),
        field<&BulkChange::remove>("delete").description("Deletes the contacts so that they can be restored; excludes other changes"));
}

/// Body of POST /api/contacts/bulk.
struct BulkRequest
{
    static constexpr std::int64_t maxIds = 10'000, maxContacts = 200'000;

    std::vector<ContactId> ids;
    std::optional<BulkFilter> filter;
    BulkChange change;
    bool dryRun = false;
};

constexpr auto schemaOf(const BulkRequest*)
{
    return describe(field<&BulkRequest::ids>().maxItems(BulkRequest::maxIds).description("Contacts to change; alternative to `filter`"),
                    field<&BulkRequest::filter>().description("Changes the contacts that match now, at most 200,000; `{}` matches all"),
                    field<&BulkRequest::change>().required(),
                    field<&BulkRequest::dryRun>().description("Returns the report without changes"));
}

enum class BulkStatus
{
    Running,
    Completed,
    /// At least one contact could not be changed.
    CompletedWithErrors,
    /// The change failed before its end. Earlier changes stay and can be undone.
    Failed
};

constexpr auto schemaOf(const BulkStatus*)
{
    using enum BulkStatus;
    return portico::choices<BulkStatus>(
        {{"running", Running}, {"completed", Completed}, {"completed_with_errors", CompletedWithErrors}, {"failed", Failed}});
}

struct BulkTotals
{
    std::int64_t contacts = 0;
    std::int64_t changed = 0;
    std::int64_t unchanged = 0;
    std::int64_t failed = 0;
};

constexpr auto schemaOf(const BulkTotals*)
{
    return describe(field<&BulkTotals::contacts>().description("Number of processed contacts: the sum of the other three"),
                    field<&BulkTotals::changed>(),
                    field<&BulkTotals::unchanged>().description("Contacts that already had the requested values"),
                    field<&BulkTotals::failed>());
}

/// Why a contact was not changed.
struct BulkError
{
    ContactId contactId;
    std::string code;
    std::string message;
};

constexpr auto schemaOf(const BulkError*) { return describe(members<&BulkError::contactId, &BulkError::code, &BulkError::message>()); }

/// A change as the client gave it.
struct ShownBulkChange
{
    Json document;
};

constexpr auto schemaOf(const ShownBulkChange*)
{
    return describe(field<&ShownBulkChange::document>().flattened()).documentedAs<BulkChange>();
}

/// The members that the row and the report of a bulk change share.
struct BulkFacts
{
    BulkId bulkId;
    BulkStatus status = BulkStatus::Running;
    bool dryRun = false;
    std::int64_t selected = 0;
    std::optional<Instant> undoneAt;
    Instant startedAt{};
    std::optional<Instant> finishedAt;
    std::string createdBy;
    Instant updatedAt{};
    std::int64_t version = 1;
};

struct BulkReport : BulkFacts
{
    /// Not in events, which hold no contents.
    std::optional<ShownBulkChange> change;
    BulkTotals totals;
    std::optional<std::vector<BulkError>> errors;
    std::int64_t progress = 0;
    std::optional<Instant> undoUntil;
    Instant createdAt{};
};

constexpr auto schemaOf(const BulkReport*)
{
    return describe(members<&BulkReport::bulkId, &BulkReport::status, &BulkReport::dryRun>(), field<&BulkReport::change>().omitEmpty(),
                    field<&BulkReport::selected>().description("Number of contacts to process"), field<&BulkReport::totals>(),
                    field<&BulkReport::errors>().omitEmpty().description("The first 100 failed contacts"),
                    field<&BulkReport::progress>().description("Percent, from 0 to 100"),
                    field<&BulkReport::undoUntil>().description("null if nothing can be undone"),
                    members<&BulkReport::undoneAt, &BulkReport::startedAt, &BulkReport::finishedAt, &BulkReport::createdBy,
                            &BulkReport::createdAt, &BulkReport::updatedAt, &BulkReport::version>());
}

/// Answer of POST /api/contacts/bulk/{bulkId}/undo.
struct UndoneBulk
{
    BulkId bulkId;
    std::int64_t undone = 0;
    /// Contacts that were changed since, and so were left alone.
    std::vector<ContactId> kept;
};

constexpr auto schemaOf(const UndoneBulk*)
{
    return describe(field<&UndoneBulk::bulkId>(), field<&UndoneBulk::undone>().description("Number of restored contacts"),
                    field<&UndoneBulk::kept>().description("Contacts that were not restored because they were changed later"));
}

enum class BulkSort
{
    StartedAtDescending,
    StartedAt
};

constexpr auto schemaOf(const BulkSort*)
{
    using enum BulkSort;
    return portico::choices<BulkSort>({{"-startedAt", StartedAtDescending}, {"startedAt", StartedAt}});
}

/// Query of GET /api/contacts/bulk.
struct BulkListFilter
{
    std::vector<BulkStatus> status;
    BulkSort sort = BulkSort::StartedAtDescending;
};

constexpr auto schemaOf(const BulkListFilter*) { return describe(members<&BulkListFilter::status, &BulkListFilter::sort>()); }

} // namespace portico::crm
