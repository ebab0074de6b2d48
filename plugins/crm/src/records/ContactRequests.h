#pragma once

#include "records/Contact.h"

#include <string>
#include <vector>

namespace portico::crm
{

enum class ContactSort
{
    DisplayName,
    DisplayNameDescending,
    CreatedAt,
    CreatedAtDescending,
    UpdatedAt,
    UpdatedAtDescending,
    LastName,
    LastNameDescending
};

constexpr auto schemaOf(const ContactSort*)
{
    using enum ContactSort;
    return portico::choices<ContactSort>({{"displayName", DisplayName},
                                          {"-displayName", DisplayNameDescending},
                                          {"createdAt", CreatedAt},
                                          {"-createdAt", CreatedAtDescending},
                                          {"updatedAt", UpdatedAt},
                                          {"-updatedAt", UpdatedAtDescending},
                                          {"lastName", LastName},
                                          {"-lastName", LastNameDescending}});
}

/// Query of GET /api/contacts. Several values in a list mean any of them; several filters mean all of them.
struct ContactFilter
{
    std::vector<ContactId> id;
    std::string q;
    std::vector<std::string> email;
    std::vector<std::string> phone;
    std::vector<std::string> tag;
    std::vector<UserId> ownerUserId;
    std::vector<Lifecycle> lifecycle;
    std::vector<ContactSource> source;
    std::vector<PipelineId> pipelineId;
    std::vector<StageId> stageId;
    std::optional<bool> hasEmail;
    std::optional<Instant> createdFrom;
    std::optional<Instant> createdTo;
    std::optional<Instant> updatedFrom;
    std::optional<Instant> updatedTo;
    bool archived = false;
    std::vector<std::string> fields;
    /// Empty: the best matches of `q` first, or without it by name.
    std::optional<ContactSort> sort;
};

/// Which contacts.
constexpr auto contactConditions()
{
    return describe(field<&ContactFilter::id>().maxItems(200).description("IDs of contacts"),
                    field<&ContactFilter::q>().maxLength(200).description(
                        "Words to find in names, companies, e-mail addresses and phone numbers, without regard to case "
                        "and accents. All words must match. Words of one or two characters match only at the beginning "
                        "of a word"),
                    field<&ContactFilter::email>().maxItems(50), field<&ContactFilter::phone>().maxItems(50),
                    field<&ContactFilter::tag>().maxItems(50), field<&ContactFilter::ownerUserId>().maxItems(50),
                    members<&ContactFilter::lifecycle, &ContactFilter::source>(), field<&ContactFilter::pipelineId>().maxItems(50),
                    field<&ContactFilter::stageId>().maxItems(50),
                    members<&ContactFilter::hasEmail, &ContactFilter::createdFrom, &ContactFilter::createdTo, &ContactFilter::updatedFrom,
                            &ContactFilter::updatedTo>(),
                    field<&ContactFilter::archived>().description("Returns only the deleted contacts that can be restored"));
}

/// Which contacts, and what of them, for what lists them.
constexpr auto contactFilters()
{
    return describe(contactConditions(),
                    field<&ContactFilter::fields>().description("Members of each contact to return; `id` is always included"));
}

constexpr auto schemaOf(const ContactFilter*)
{
    return describe(contactFilters(), field<&ContactFilter::sort>().description("Default: relevance if `q` is set, else `displayName`"));
}

enum class OnDuplicate
{
    Allow,
    Reject,
    Return
};

constexpr auto schemaOf(const OnDuplicate*)
{
    using enum OnDuplicate;
    return portico::choices<OnDuplicate>({{"allow", Allow}, {"reject", Reject}, {"return", Return}});
}

/// Query of POST /api/contacts.
struct CreateOptions
{
    OnDuplicate onDuplicate = OnDuplicate::Allow;
};

constexpr auto schemaOf(const CreateOptions*)
{
    return describe(field<&CreateOptions::onDuplicate>().description(
        "Action for an existing contact with the same e-mail address, phone number or external ID. "
        "Creates another contact, rejects with 400 `duplicate_contact`, or returns the existing contact "
        "with 200"));
}

enum class ContactInclude
{
    Notes,
    Attachments,
    History
};

constexpr auto schemaOf(const ContactInclude*)
{
    using enum ContactInclude;
    return portico::choices<ContactInclude>({{"notes", Notes}, {"attachments", Attachments}, {"history", History}});
}

/// Query of GET /api/contacts/{id}.
struct ShowOptions
{
    std::vector<ContactInclude> include;
};

constexpr auto schemaOf(const ShowOptions*)
{
    return describe(field<&ShowOptions::include>().description(
        "Includes the first page of these records of the contact. Each requires the permission of its "
        "list, and API keys its scope"));
}

/// Query of DELETE /api/contacts/{id}.
struct DeleteOptions
{
    bool permanent = false;
};

constexpr auto schemaOf(const DeleteOptions*)
{
    return describe(field<&DeleteOptions::permanent>().description(
        "Deletes permanently. Requires the permission crm.contacts:purge and an access token"));
}

/// Answer of DELETE /api/contacts/{id}.
struct DeletedContact
{
    ContactId id;
    bool deleted = true;
    /// Empty if it was deleted permanently.
    std::optional<Instant> restorableUntil;
};

constexpr auto schemaOf(const DeletedContact*)
{
    return describe(members<&DeletedContact::id, &DeletedContact::deleted, &DeletedContact::restorableUntil>());
}

} // namespace portico::crm
