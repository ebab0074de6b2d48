#pragma once

#include "records/Contact.h"

#include <string>

namespace portico::crm
{

/// Row of a contact, read for a change.
struct ContactRow
{
    ContactId id;
    Contact document;
    std::vector<PipelinePlace> places;
    std::int64_t noteCount = 0;
    std::int64_t attachmentCount = 0;
};

constexpr auto schemaOf(const ContactRow*)
{
    return describe(
        members<&ContactRow::id, &ContactRow::document, &ContactRow::places, &ContactRow::noteCount, &ContactRow::attachmentCount>());
}

inline constexpr Table contactRows{"contact", {.where = "deleted_at IS NULL"}, &ContactRow::id};
inline constexpr Table allContactRows{"contact", &ContactRow::id};

/// Columns of a contact: the document, and columns derived from it for queries. Counts and places on boards are not included, because they
/// change independently.
struct ContactColumns
{
    ContactId id;
    Json document;
    std::int64_t version = 1;
    std::string displayName;
    std::optional<UserId> ownerUserId;
    std::optional<ContactSource> source;
    Lifecycle lifecycle = Lifecycle::Lead;
    Instant createdAt{};
    Instant updatedAt{};
    std::optional<Instant> deletedAt;
    std::string sortName;
    std::string sortLastName;
    std::string foldedName;
    std::string foldedCompany;
};

constexpr auto schemaOf(const ContactColumns*)
{
    return describe(members<&ContactColumns::id, &ContactColumns::document, &ContactColumns::version, &ContactColumns::displayName,
                            &ContactColumns::ownerUserId, &ContactColumns::source, &ContactColumns::lifecycle, &ContactColumns::createdAt,
                            &ContactColumns::updatedAt, &ContactColumns::deletedAt, &ContactColumns::sortName,
                            &ContactColumns::sortLastName, &ContactColumns::foldedName, &ContactColumns::foldedCompany>());
}

ContactColumns columnsOf(const Contact& contact);

/// A new row.
struct NewContactRow : ContactColumns
{
    std::int64_t noteCount = 0;
    std::int64_t attachmentCount = 0;
};

constexpr auto schemaOf(const NewContactRow*)
{
    return describe(schemaOf(static_cast<const ContactColumns*>(nullptr)),
                    members<&NewContactRow::noteCount, &NewContactRow::attachmentCount>());
}

NewContactRow newRowOf(const Contact& contact, const ContactCounts& counts);

inline constexpr Table<NewContactRow, ContactId> newContactRows{"contact", &NewContactRow::id};

/// First, middle and last name with one space between them.
std::string fullNameOf(const Contact& contact);

/// The same, folded.
std::string foldedFullName(const Contact& contact);

/// Returns the searched text: folded names, company, e-mail addresses and digits of phone numbers, one line each. Lines with apostrophes or
/// hyphens are repeated without them. If the result changes in a new version, raise `currentFolding` and add a migration.
std::string searchTextOf(const Contact& contact);

/// How a phone number is compared: its E.164 form, else its digits.
std::string phoneKey(const ContactPhone& phone);

} // namespace portico::crm
