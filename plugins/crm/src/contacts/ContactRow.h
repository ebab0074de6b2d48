#pragma once

#include "contacts/Contact.h"

#include <string>

namespace portico::crm
{

/// A row as it is read for changing.
struct ContactRow
{
    Contact document;
    std::vector<PipelinePlace> places;
    std::int64_t noteCount = 0;
    std::int64_t attachmentCount = 0;
};

/// A row as it is written: the document, and what statements need to look at, made from it whenever it is written. The counts and
/// the places on boards are not in it: they change on their own.
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

ContactColumns columnsOf(const Contact& contact);

/// First, middle and last name, folded.
std::string foldedFullName(const Contact& contact);

/// Folded names, company, e-mail addresses and digits of phone numbers, a line each: what a search looks into.
std::string searchTextOf(const Contact& contact);

/// How a phone number is compared: its E.164 form, else its digits.
std::string phoneKey(const ContactPhone& phone);

} // namespace portico::crm

template <>
struct portico::Schema<portico::crm::ContactRow>
{
    using T = portico::crm::ContactRow;
    static constexpr auto fields = describe(field("document", &T::document), field("places", &T::places), field("noteCount", &T::noteCount),
                                            field("attachmentCount", &T::attachmentCount));
};

template <>
struct portico::Schema<portico::crm::ContactColumns>
{
    using T = portico::crm::ContactColumns;
    static constexpr auto fields =
        describe(field("id", &T::id), field("document", &T::document), field("version", &T::version), field("displayName", &T::displayName),
                 field("ownerUserId", &T::ownerUserId), field("source", &T::source), field("lifecycle", &T::lifecycle),
                 field("createdAt", &T::createdAt), field("updatedAt", &T::updatedAt), field("deletedAt", &T::deletedAt),
                 field("sortName", &T::sortName), field("sortLastName", &T::sortLastName), field("foldedName", &T::foldedName),
                 field("foldedCompany", &T::foldedCompany));
};
