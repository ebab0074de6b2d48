#pragma once

#include "common/BrandChoice.h"
#include "content/PostService.h"

#include "portico/Routes.h"

namespace portico::social
{

enum class PostSort : std::uint8_t
{
    CreatedAtDescending,
    CreatedAt,
    ScheduledFor,
    ScheduledForDescending,
    UpdatedAt,
    UpdatedAtDescending
};
constexpr auto schemaOf(const PostSort*)
{
    using enum PostSort;
    return portico::choices<PostSort>({{"-createdAt", CreatedAtDescending},
                                       {"createdAt", CreatedAt},
                                       {"scheduledFor", ScheduledFor},
                                       {"-scheduledFor", ScheduledForDescending},
                                       {"updatedAt", UpdatedAt},
                                       {"-updatedAt", UpdatedAtDescending}});
}

struct PostFilter : BrandChoice
{
    std::vector<PostStatus> status;
    std::vector<Platform> platform;
    std::optional<std::string> label;
    std::optional<Instant> scheduledFrom, scheduledTo, createdFrom, createdTo;
    std::string q;
    PostSort sort = PostSort::CreatedAtDescending;
};
constexpr auto schemaOf(const PostFilter*)
{
    using F = PostFilter;
    return describe(inherited<BrandChoice>(), members<&F::status, &F::platform>(), field<&F::label>().maxLength(50),
                    field<&F::scheduledFrom>().description("Earliest time"), field<&F::scheduledTo>().description("Latest time, exclusive"),
                    members<&F::createdFrom, &F::createdTo>(), field<&F::q>().maxLength(200).description("Words to find in title and text"),
                    field<&F::sort>());
}

struct NewPostQuery : BrandChoice
{
    bool dryRun = false;
};
constexpr auto schemaOf(const NewPostQuery*)
{
    return describe(inherited<BrandChoice>(),
                    field<&NewPostQuery::dryRun>().description("Validates without saving: 200 with `valid` and `targets`"));
}

enum class PostPart : std::uint8_t
{
    Items,
    Attempts
};
constexpr auto schemaOf(const PostPart*)
{
    return portico::choices<PostPart>({{"items", PostPart::Items}, {"attempts", PostPart::Attempts}});
}

struct OnePostQuery : BrandChoice
{
    std::vector<PostPart> include;
};
constexpr auto schemaOf(const OnePostQuery*) { return describe(inherited<BrandChoice>(), field<&OnePostQuery::include>()); }

struct DeletePostQuery : BrandChoice
{
    bool remote = false;
};
constexpr auto schemaOf(const DeletePostQuery*)
{
    return describe(inherited<BrandChoice>(), field<&DeletePostQuery::remote>().description("Also deletes the posts at the networks"));
}

struct DuplicateRequest
{
    std::optional<std::vector<Target>> targets;
};
constexpr auto schemaOf(const DuplicateRequest*) { return describe(field<&DuplicateRequest::targets>().minItems(1).maxItems(50)); }

struct EmptyRequest
{
};
constexpr auto schemaOf(const EmptyRequest*) { return describe(); }

/// A created post, or the result of a dry run.
struct CreatedPost
{
    Json body{"{}"};
};
constexpr auto schemaOf(const CreatedPost*) { return describe(field<&CreatedPost::body>().flattened()).documentedAs<Post>(); }

/// /api/posts. Thread-safe.
class PostRoutes
{
public:
    PostRoutes(const ContentTools& tools, const PostService& service) : _context(tools.context), _service(service) {}
    void declare(Routes& routes);

    Page<Post> list(const Caller& caller, const BrandHeader& brand, const Query<PostFilter>& filter, const Paging& paging) const;
    Reply<CreatedPost> create(const Request& request, const BrandHeader& brand, const Query<NewPostQuery>& query, const Body<Post>& body);
    Post show(const Caller& caller, const BrandHeader& brand, const Path<PostId>& id, const Query<OnePostQuery>& query) const;
    Post change(const Request& request, const BrandHeader& brand, const Path<PostId>& id, const Query<BrandChoice>& query,
                const IfMatch& ifMatch, const Body<Patch<Post>>& body);
    NoContent remove(const Request& request, const BrandHeader& brand, const Path<PostId>& id, const Query<DeletePostQuery>& query,
                     const IfMatch& ifMatch);
    Reply<Post> publish(const Request& request, const BrandHeader& brand, const Path<PostId>& id, const Query<BrandChoice>& query,
                        const IfMatch& ifMatch, const Body<EmptyRequest>& body);
    Created<Post> duplicate(const Request& request, const BrandHeader& brand, const Path<PostId>& id, const Query<BrandChoice>& query,
                            const Body<DuplicateRequest>& body);
    Page<PublishAttempt> attempts(const Caller& caller, const BrandHeader& brand, const Path<PostId>& id, const Query<BrandChoice>& query,
                                  const Paging& paging) const;

private:
    BrandId brandOf(const Caller& caller, const BrandHeader& header, const std::optional<std::string>& query, const PostId& id) const;

    PluginContext& _context;
    const PostService& _service;
};

/// The caller of a request, for changes of content.
Author authorOf(const Request& request);

} // namespace portico::social
