#include "content/PostRoutes.h"

#include "content/RecordBrand.h"

#include "portico/Json.h"
#include "portico/Text.h"

#include <algorithm>
#include <sstream>

namespace portico::social
{

namespace
{
constexpr std::uint64_t postBodyLimit = 1024 * 1024;

void showContentIds(Post& post)
{
    post.contentIds.clear();
    for (const auto& target : post.targets)
        if (target.contentId) post.contentIds.push_back(*target.contentId);
}

void orderPosts(Select<Post>& posts, PostSort sort)
{
    switch (sort)
    {
    case PostSort::CreatedAtDescending:
        posts.orderBy(descending(&Post::createdAt), descending(&Post::postId));
        break;
    case PostSort::CreatedAt:
        posts.orderBy(&Post::createdAt, &Post::postId);
        break;
    case PostSort::ScheduledFor:
        posts.orderBy(&Post::scheduleOrder, &Post::postId);
        break;
    case PostSort::ScheduledForDescending:
        posts.orderBy(descending(&Post::scheduleOrder), descending(&Post::postId));
        break;
    case PostSort::UpdatedAt:
        posts.orderBy(&Post::updatedAt, &Post::postId);
        break;
    case PostSort::UpdatedAtDescending:
        posts.orderBy(descending(&Post::updatedAt), descending(&Post::postId));
        break;
    }
}

std::vector<PublishAttempt> attemptsOf(Session& session, Tenant tenant, const Post& post)
{
    return attemptTable.select(tenant)
        .where(&PublishAttempt::brandId, post.brandId)
        .where(&PublishAttempt::postId, post.postId)
        .orderBy(&PublishAttempt::startedAt, &PublishAttempt::attemptId)
        .all(session);
}
} // namespace

Author authorOf(const Request& request) { return {Doer::of(request), rightsOf(*request.caller)}; }

void PostRoutes::declare(Routes& routes)
{
    const auto reads = access::bearer("posts:read"), writes = access::bearer("posts:write");
    const std::vector<std::string_view> brands{"400 brand_required", "400 brand_mismatch"};
    const std::vector<std::string_view> times{"400 brand_required", "400 brand_mismatch", "400 in_past",           "400 too_far",
                                              "400 no_slot_plan",   "409 no_free_slot",   "409 action_not_allowed"};
    routes.get("/api/posts", reads, &PostRoutes::list, this, {.summary = "List posts", .problems = brands})
        .post("/api/posts", writes, &PostRoutes::create, this,
              {.summary = "Create or validate a post", .bodyLimit = postBodyLimit, .problems = times, .statuses = {201, 200}})
        .get("/api/posts/{postId}", reads, &PostRoutes::show, this, {.summary = "Read a post"})
        .put("/api/posts/{postId}", writes, &PostRoutes::change, this,
             {.summary = "Change, schedule or revert a post", .bodyLimit = postBodyLimit, .problems = times})
        .del("/api/posts/{postId}", writes, &PostRoutes::remove, this, {.summary = "Delete a post"})
        .post("/api/posts/{postId}/publish", writes, &PostRoutes::publish, this,
              {.summary = "Publish a post now", .problems = {"409 action_not_allowed"}, .statuses = {202}})
        .post("/api/posts/{postId}/duplicate", writes, &PostRoutes::duplicate, this, {.summary = "Copy a post into a draft"})
        .get("/api/posts/{postId}/attempts", reads, &PostRoutes::attempts, this, {.summary = "List the attempts to publish a post"});
}

BrandId PostRoutes::brandOf(const Caller& caller, const BrandHeader& header, const std::optional<std::string>& query,
                            const PostId& id) const
{
    auto session = _context.database().session();
    return brandOfRecord(session, caller, header, query, postTable, &Post::postId, id);
}

Page<Post> PostRoutes::list(const Caller& caller, const BrandHeader& brand, const Query<PostFilter>& filter, const Paging& paging) const
{
    auto session = _context.database().session();
    auto found = postTable.select(caller.tenant());
    found.where(&Post::brandId, requireBrand(session, caller, brand, filter->brandId));
    if (!filter->status.empty()) found.whereIn(&Post::status, filter->status);
    if (!filter->platform.empty())
    {
        std::string names;
        for (const auto platform : filter->platform) names += ',' + std::string(toString(platform)) + ',';
        found.where(
            "EXISTS (SELECT 1 FROM content_item i WHERE i.organization_id = post.organization_id AND i.brand_id = post.brand_id AND "
            "i.post_id = post.id AND i.deleted_at IS NULL AND replace(?, ',' || i.platform || ',', '') <> ?)",
            names, names);
    }
    if (filter->label)
    {
        std::string json;
        appendJsonString(json, *filter->label);
        found.where("replace(labels, ?, '') <> labels", json);
    }
    if (filter->scheduledFrom) found.where("scheduled_for >= ?", *filter->scheduledFrom);
    if (filter->scheduledTo) found.where("scheduled_for < ?", *filter->scheduledTo);
    if (filter->createdFrom) found.where("created_at >= ?", *filter->createdFrom);
    if (filter->createdTo) found.where("created_at < ?", *filter->createdTo);
    std::istringstream words(fold(filter->q));
    for (std::string word; words >> word;) found.where("replace(search_text, ?, '') <> search_text", word);
    orderPosts(found, filter->sort);
    auto page = found.page(session, paging);
    for (auto& post : page.items) showContentIds(post);
    return page;
}

Reply<CreatedPost> PostRoutes::create(const Request& request, const BrandHeader& brand, const Query<NewPostQuery>& query,
                                      const Body<Post>& body)
{
    const auto& caller = *request.caller;
    const auto named = body->brandId.empty() ? std::nullopt : std::optional(body->brandId.text());
    std::optional<BrandId> id;
    {
        auto session = _context.database().session();
        id = requireBrand(session, caller, brand, query->brandId, named);
    }
    const auto author = authorOf(request);
    if (query->dryRun) return {.record = {{toJson(_service.check(author, caller.tenant(), *id, *body))}}};
    const auto post = _service.create(author, caller.tenant(), *id, *body);
    return {.record = {{toJson(post)}},
            .status = 201,
            .headers = {{"Location", "/api/posts/" + post.postId.text()}},
            .etag = '"' + std::to_string(post.version) + '"'};
}

Post PostRoutes::show(const Caller& caller, const BrandHeader& brand, const Path<PostId>& id, const Query<OnePostQuery>& query) const
{
    auto session = _context.database().session();
    const auto where = brandOfRecord(session, caller, brand, query->brandId, postTable, &Post::postId, *id);
    auto post = postTable.require(session, caller.tenant(), where, *id);
    showContentIds(post);
    const auto has = [&](PostPart part) { return std::ranges::find(query->include, part) != query->include.end(); };
    if (has(PostPart::Items))
    {
        post.items.emplace();
        for (const auto& content : post.contentIds)
            if (const auto item = itemTable.find(session, caller.tenant(), where, content))
                post.items->push_back(viewOf(*item, rightsOf(caller)));
    }
    if (has(PostPart::Attempts)) post.attempts = attemptsOf(session, caller.tenant(), post);
    return post;
}

Post PostRoutes::change(const Request& request, const BrandHeader& brand, const Path<PostId>& id, const Query<BrandChoice>& query,
                        const IfMatch& ifMatch, const Body<Patch<Post>>& body)
{
    const auto where = brandOf(*request.caller, brand, query->brandId, *id);
    return _service.change(authorOf(request), request.caller->tenant(), where, *id, ifMatch, *body);
}

NoContent PostRoutes::remove(const Request& request, const BrandHeader& brand, const Path<PostId>& id, const Query<DeletePostQuery>& query,
                             const IfMatch& ifMatch)
{
    const auto where = brandOf(*request.caller, brand, query->brandId, *id);
    _service.remove(authorOf(request), request.caller->tenant(), where, *id, ifMatch, query->remote);
    return {};
}

Reply<Post> PostRoutes::publish(const Request& request, const BrandHeader& brand, const Path<PostId>& id, const Query<BrandChoice>& query,
                                const IfMatch& ifMatch, const Body<EmptyRequest>&)
{
    const auto where = brandOf(*request.caller, brand, query->brandId, *id);
    return {.record = _service.publish(authorOf(request), request.caller->tenant(), where, *id, ifMatch), .status = 202};
}

Created<Post> PostRoutes::duplicate(const Request& request, const BrandHeader& brand, const Path<PostId>& id,
                                    const Query<BrandChoice>& query, const Body<DuplicateRequest>& body)
{
    const auto where = brandOf(*request.caller, brand, query->brandId, *id);
    auto copy = _service.duplicate(authorOf(request), request.caller->tenant(), where, *id, body->targets);
    const auto location = "/api/posts/" + copy.postId.text();
    return {std::move(copy), location};
}

Page<PublishAttempt> PostRoutes::attempts(const Caller& caller, const BrandHeader& brand, const Path<PostId>& id,
                                          const Query<BrandChoice>& query, const Paging& paging) const
{
    auto session = _context.database().session();
    const auto where = brandOfRecord(session, caller, brand, query->brandId, postTable, &Post::postId, *id);
    postTable.require(session, caller.tenant(), where, *id);
    return attemptTable.select(caller.tenant())
        .where(&PublishAttempt::brandId, where)
        .where(&PublishAttempt::postId, *id)
        .orderBy(&PublishAttempt::startedAt, &PublishAttempt::attemptId)
        .page(session, paging);
}

} // namespace portico::social
