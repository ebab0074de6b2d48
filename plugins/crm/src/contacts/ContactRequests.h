#pragma once

#include "contacts/Contact.h"

#include <string>
#include <tuple>
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

/// Query of GET /api/contacts. Several values in a list mean any of them; several filters mean all of them.
struct ContactFilter
{
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

enum class OnDuplicate
{
    Allow,
    Reject,
    Return
};

/// Query of POST /api/contacts.
struct CreateOptions
{
    OnDuplicate onDuplicate = OnDuplicate::Allow;
};

enum class ContactInclude
{
    Notes,
    Attachments,
    History
};

/// Query of GET /api/contacts/{id}.
struct ShowOptions
{
    std::vector<ContactInclude> include;
};

/// Query of DELETE /api/contacts/{id}.
struct DeleteOptions
{
    bool permanent = false;
};

/// Answer of DELETE /api/contacts/{id}.
struct DeletedContact
{
    ContactId id;
    bool deleted = true;
    /// Empty when it is gone for good.
    std::optional<Instant> restorableUntil;
};

} // namespace portico::crm

template <>
struct portico::Schema<portico::crm::ContactSort>
{
    using S = portico::crm::ContactSort;
    static constexpr auto choices = portico::choices<S>({{"displayName", S::DisplayName},
                                                         {"-displayName", S::DisplayNameDescending},
                                                         {"createdAt", S::CreatedAt},
                                                         {"-createdAt", S::CreatedAtDescending},
                                                         {"updatedAt", S::UpdatedAt},
                                                         {"-updatedAt", S::UpdatedAtDescending},
                                                         {"lastName", S::LastName},
                                                         {"-lastName", S::LastNameDescending}});
};

template <>
struct portico::Schema<portico::crm::ContactFilter>
{
    using T = portico::crm::ContactFilter;
    /// All but the order, for what else picks contacts.
    static constexpr auto filters = describe(
        field("q", &T::q)
            .maxLength(200)
            .description("Parts of names, companies, e-mail addresses and phone numbers, in which case and accents do not matter; every "
                         "word must be found, one of one or two characters at the beginning of a word"),
        field("email", &T::email).maxItems(50), field("phone", &T::phone).maxItems(50), field("tag", &T::tag).maxItems(50),
        field("ownerUserId", &T::ownerUserId).maxItems(50), field("lifecycle", &T::lifecycle), field("source", &T::source),
        field("pipelineId", &T::pipelineId).maxItems(50), field("stageId", &T::stageId).maxItems(50), field("hasEmail", &T::hasEmail),
        field("createdFrom", &T::createdFrom), field("createdTo", &T::createdTo), field("updatedFrom", &T::updatedFrom),
        field("updatedTo", &T::updatedTo),
        field("archived", &T::archived).description("true: the deleted contacts that can still be restored, and only those"),
        field("fields", &T::fields).description("Members of each contact to give; id always"));
    static constexpr auto fields =
        std::tuple_cat(filters, describe(field("sort", &T::sort).description("Default: with q the best matches first, else displayName")));
};

template <>
struct portico::Schema<portico::crm::OnDuplicate>
{
    using S = portico::crm::OnDuplicate;
    static constexpr auto choices = portico::choices<S>({{"allow", S::Allow}, {"reject", S::Reject}, {"return", S::Return}});
};

template <>
struct portico::Schema<portico::crm::CreateOptions>
{
    using T = portico::crm::CreateOptions;
    static constexpr auto fields = describe(
        field("onDuplicate", &T::onDuplicate)
            .description(
                "What to do when a contact with the same e-mail address, phone number or external id exists: make another, refuse with "
                "400 duplicate_contact, or give the existing one with 200"));
};

template <>
struct portico::Schema<portico::crm::ContactInclude>
{
    using S = portico::crm::ContactInclude;
    static constexpr auto choices = portico::choices<S>({{"notes", S::Notes}, {"attachments", S::Attachments}, {"history", S::History}});
};

template <>
struct portico::Schema<portico::crm::ShowOptions>
{
    using T = portico::crm::ShowOptions;
    static constexpr auto fields =
        describe(field("include", &T::include)
                     .description("Adds the first page of what belongs to the contact, in the order of its own list; each needs the "
                                  "permission, and of a key the scope, of that list"));
};

template <>
struct portico::Schema<portico::crm::DeleteOptions>
{
    using T = portico::crm::DeleteOptions;
    static constexpr auto fields = describe(
        field("permanent", &T::permanent).description("true: for good; needs the permission crm.contacts:purge and an access token"));
};

template <>
struct portico::Schema<portico::crm::DeletedContact>
{
    using T = portico::crm::DeletedContact;
    static constexpr auto fields =
        describe(field("id", &T::id), field("deleted", &T::deleted), field("restorableUntil", &T::restorableUntil));
};
