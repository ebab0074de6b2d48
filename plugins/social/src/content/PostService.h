#pragma once

#include "content/PostCheck.h"
#include "content/TargetAccounts.h"
#include "content/Times.h"

#include "portico/Arguments.h"

#include <variant>

namespace portico::social
{

/// Actor of a change of content, and its rights.
struct Author
{
    Doer doer;
    Rights rights;
};

/// Makes and changes posts. Every function is one transaction. Thread-safe.
class PostService
{
public:
    explicit PostService(const ContentTools& tools) : _tools(tools) {}

    /// @throws Problem 400, 404, 409 `no_free_slot`
    Post create(const Author& author, Tenant tenant, const BrandId& brand, const Post& input) const;
    /// Checks the input like `create`. Writes nothing.
    PostDryRun check(const Author& author, Tenant tenant, const BrandId& brand, const Post& input) const;
    /// @throws Problem 400, 404, 409, 412
    Post change(const Author& author, Tenant tenant, const BrandId& brand, const PostId& id, const IfMatch& ifMatch,
                const Patch<Post>& patch) const;
    /// @param remote published items are to be deleted at their networks too
    void remove(const Author& author, Tenant tenant, const BrandId& brand, const PostId& id, const IfMatch& ifMatch, bool remote) const;
    /// Queues all unpublished items for now. @throws Problem 409 `action_not_allowed` if there is none
    Post publish(const Author& author, Tenant tenant, const BrandId& brand, const PostId& id, const IfMatch& ifMatch) const;
    /// A draft with the same content. Empty `targets`: the same ones.
    Post duplicate(const Author& author, Tenant tenant, const BrandId& brand, const PostId& id,
                   const std::optional<std::vector<Target>>& targets) const;

private:
    /// Deletes the published copies at the networks. Missing copies are treated as deleted. @throws Problem 409 `conflict`
    void removeAtNetworks(Tenant tenant, const BrandId& brand, const PostId& id, const IfMatch& ifMatch) const;

    const ContentTools _tools;
};

/// Parts of these functions that an item's own changes share.
namespace posts
{
/// Makes the items of targets that have none, in the order of the targets.
/// @param time when they are published; empty: drafts
std::vector<ContentItem> addItems(const ContentTools& tools, BrandContent& content, Post& post, std::optional<Instant> time);
/// Updates an item to the current content of its post and target. A scheduled or waiting item must fit its network.
/// @return the item after the edit
ContentItem editItem(const ContentTools& tools, BrandContent& content, const ContentItem& before, ContentItem after);
/// Schedules an item. @throws Problem 400 if it does not fit its network, 409
ContentItem scheduleItem(const ContentTools& tools, BrandContent& content, const ContentItem& item, Instant time);
/// @throws Problem 400 with the violated limits of its network
void requireFit(const ContentTools& tools, const BrandContent& content, const ContentItem& item);
} // namespace posts

} // namespace portico::social
