#pragma once

#include "audit/AuditTrail.h"
#include "brands/Brand.h"
#include "content/Post.h"
#include "content/Workflow.h"

#include "portico/Events.h"
#include "portico/Plugin.h"

#include <string>
#include <vector>

namespace portico::social
{

/// Queued items of a brand, at most.
inline constexpr std::int64_t maxQueued = 10'000;

/// The posts and items of one brand in one transaction. The constructor locks the end of the brand's chain of events until the transaction
/// ends, so that changes of one brand's content are serialized and decisions use current data. Used by one thread.
class BrandContent
{
public:
    /// @param rights of the caller, for the details of a rejected move
    /// @throws Problem 404
    BrandContent(PluginContext& context, Transaction& transaction, Tenant tenant, const BrandId& brand, Doer doer, Rights rights = {});

    const Brand& brand() const noexcept { return _brand; }
    const ApprovalPolicy& policy() const noexcept { return _brand.approvalPolicy; }
    Instant now() const noexcept { return _now; }
    Tenant tenant() const noexcept { return _tenant; }
    Transaction& transaction() const noexcept { return _transaction; }
    const Rights& rights() const noexcept { return _rights; }

    /// @throws Problem 404
    ContentItem item(const ContentId& id) const;
    Post post(const PostId& id) const;
    /// In the order of the targets.
    std::vector<ContentItem> itemsOf(const Post& post) const;

    /// Writes a new item.
    ContentItem insert(const Move& move, std::string_view reason = {});
    /// Writes a move, its audit events, and its events for other services. The caller must settle the item's post.
    /// @throws Problem 409, 403 for a rejected move
    ContentItem write(const ContentItem& before, const Move& move, std::string_view reason = {});
    /// Updates a post by its items. @return the post after the update
    Post settle(const Post& before, Post after);
    Post settle(const PostId& id);
    void insert(Post& post);
    /// Deletes a post whose items were removed.
    void remove(const Post& post);
    /// Publishes events about an item or a post to open pages and other services.
    void tell(std::string_view type, const std::optional<PostId>& post, const std::optional<ContentId>& item);

private:
    void record(const ContentItem& before, const ContentItem& after, const std::vector<AuditKind>& events, std::string_view reason);
    void releaseSlot(const ContentItem& before, const ContentItem& after);
    void checkQueue(const ContentItem& before, const ContentItem& after) const;
    void announce(const ContentItem& before, const ContentItem& after);
    void wakeWorker(const ContentItem& item);

    PluginContext& _context;
    Transaction& _transaction;
    const Tenant _tenant;
    const Instant _now;
    const Doer _doer;
    const Rights _rights;
    const Brand _brand;
};

/// @throws Problem with the reason for a rejected move
[[noreturn]] void throwRefusal(const ContentItem& item, Refusal refusal, const Rights& rights);

} // namespace portico::social
