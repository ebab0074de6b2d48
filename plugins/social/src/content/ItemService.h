#pragma once

#include "content/PostService.h"

namespace portico::social
{

/// Body of an approval.
struct ApproveRequest
{
    std::string comment;
    std::optional<Instant> scheduledFor;
    std::optional<std::string> slot;
    std::optional<std::int64_t> revision;
    std::optional<IntegrationId> integrationId;
};
constexpr auto schemaOf(const ApproveRequest*)
{
    using R = ApproveRequest;
    return describe(
        field<&R::comment>().maxLength(1000), field<&R::scheduledFor>(), field<&R::slot>().matches(isNextSlot, "invalid_slot", "next"),
        field<&R::revision>().description("Revision that the approver has read; another one is rejected with 409 `revision_changed`"),
        field<&R::integrationId>().description("Account that publishes the resulting post"));
}

struct RejectRequest
{
    std::string reason;
    std::optional<std::int64_t> revision;
};
constexpr auto schemaOf(const RejectRequest*)
{
    return describe(field<&RejectRequest::reason>().maxLength(1000), field<&RejectRequest::revision>());
}

struct RescheduleRequest
{
    std::optional<Instant> scheduledFor;
    std::optional<std::string> slot;
};
constexpr auto schemaOf(const RescheduleRequest*)
{
    return describe(field<&RescheduleRequest::scheduledFor>(),
                    field<&RescheduleRequest::slot>().matches(isNextSlot, "invalid_slot", "next"));
}

/// Changes items one by one. Every function is one transaction. Thread-safe.
/// @throws Problem 404, 412, 409 with `currentState` and `safeActions`
class ItemService
{
public:
    explicit ItemService(const ContentTools& tools) : _tools(tools) {}

    ContentItem change(const Author& author, Tenant tenant, const BrandId& brand, const ContentId& id, const IfMatch& ifMatch,
                       const Patch<ItemView>& patch) const;
    ContentItem approve(const Author& author, Tenant tenant, const BrandId& brand, const ContentId& id, const IfMatch& ifMatch,
                        const ApproveRequest& request) const;
    ContentItem reject(const Author& author, Tenant tenant, const BrandId& brand, const ContentId& id, const IfMatch& ifMatch,
                       const RejectRequest& request) const;
    ContentItem reschedule(const Author& author, Tenant tenant, const BrandId& brand, const ContentId& id, const IfMatch& ifMatch,
                           const RescheduleRequest& request) const;
    ContentItem retry(const Author& author, Tenant tenant, const BrandId& brand, const ContentId& id, const IfMatch& ifMatch,
                      bool confirmed) const;
    ContentItem submit(const Author& author, Tenant tenant, const BrandId& brand, const ContentId& id, const IfMatch& ifMatch) const;
    ContentItem cancel(const Author& author, Tenant tenant, const BrandId& brand, const ContentId& id, const IfMatch& ifMatch) const;
    ContentItem markPublished(const Author& author, Tenant tenant, const BrandId& brand, const ContentId& id, const IfMatch& ifMatch,
                              std::string_view platformUrl) const;

    /// Writes a new suggestion in a transaction of the caller. `item` has platform, content, source and generator.
    static ContentItem suggest(BrandContent& content, ContentItem item);
    /// A new pending suggestion with the content of a suggestion without a post.
    ContentItem duplicate(const Author& author, Tenant tenant, const BrandId& brand, const ContentId& id) const;
    void remove(const Author& author, Tenant tenant, const BrandId& brand, const ContentId& id, const IfMatch& ifMatch) const;

    /// Expires suggestions of all organizations whose time has passed.
    void expireSuggestions() const;

private:
    template <class F>
    ContentItem move(const Author& author, Tenant tenant, const BrandId& brand, const ContentId& id, const IfMatch& ifMatch,
                     const F& work) const;
    ContentItem adopt(BrandContent& content, const ContentItem& item, const TargetAccount& account) const;
    ContentItem changePostItem(BrandContent& content, const ContentItem& before, const ItemView& wanted,
                               const Patch<ItemView>& patch) const;
    ContentItem changeSuggestion(BrandContent& content, const ContentItem& before, const ItemView& wanted,
                                 const Patch<ItemView>& patch) const;

    const ContentTools _tools;
};

} // namespace portico::social
