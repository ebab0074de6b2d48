#pragma once

#include "content/ContentItem.h"
#include "content/ItemView.h"
#include "content/PublishAttempt.h"

#include "portico/Table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace portico::social
{

/// Members in which a target differs from its post.
struct TargetOverrides
{
    std::optional<std::string> text;
    std::optional<std::vector<MediaId>> mediaIds;
    std::optional<std::map<std::string, std::string>> altTexts;
    /// Null: the value of the post.
    Json settings;
    std::optional<std::string> linkUrl;
    bool operator==(const TargetOverrides&) const = default;
};
constexpr auto schemaOf(const TargetOverrides*)
{
    using O = TargetOverrides;
    return describe(field<&O::text>().maxLength(100'000).omitEmpty(), field<&O::mediaIds>().maxItems(20).omitEmpty(),
                    field<&O::altTexts>().omitEmpty(), field<&O::settings>().omitEmpty(), field<&O::linkUrl>().maxLength(2000).omitEmpty());
}

enum class TargetType : std::uint8_t
{
    Account,
    Page,
    Group,
    Organization
};
constexpr auto schemaOf(const TargetType*)
{
    using enum TargetType;
    return portico::choices<TargetType>({{"account", Account}, {"page", Page}, {"group", Group}, {"organization", Organization}});
}

/// Target of a post: an account, or a page of it. Missing values are taken from the account.
struct Target
{
    std::optional<TargetId> targetId;
    std::optional<ContentId> contentId;
    IntegrationId integrationId;
    Platform platform = Platform::Bluesky;
    TargetType targetType = TargetType::Account;
    std::string externalId;
    std::string displayName;
    std::string handle;
    std::string avatarUrl;
    /// The caller's own: a JSON object that nothing here reads. Merged by member.
    Json metadata;
    std::optional<TargetOverrides> overrides;
    bool operator==(const Target&) const = default;
};
constexpr auto schemaOf(const Target*)
{
    return describe(field<&Target::targetId>(), field<&Target::contentId>().readOnly(), field<&Target::integrationId>(),
                    field<&Target::platform>().readOnly(), field<&Target::targetType>(),
                    field<&Target::externalId>().maxLength(200).description("ID of the page, or of the account itself"),
                    field<&Target::displayName>().readOnly(), field<&Target::handle>().readOnly(), field<&Target::avatarUrl>().readOnly(),
                    field<&Target::metadata>().description("Object with data of the caller, at most 8 KiB; updates are merged by member"),
                    field<&Target::overrides>());
}

/// Warning about an accepted post.
struct Warning
{
    std::string code;
    std::optional<TargetId> targetId;
    std::string message;
    bool operator==(const Warning&) const = default;
};
constexpr auto schemaOf(const Warning*) { return describe(members<&Warning::code, &Warning::targetId, &Warning::message>()); }

/// A text with files for one or more targets. The row, and what callers read and write.
struct Post : Versioned, PostContent
{
    PostId postId;
    BrandId brandId;
    std::string title;
    PostStatus status = PostStatus::Draft;
    /// The earliest time of its items.
    std::optional<Instant> scheduledFor;
    Instant scheduleOrder = withoutTime;
    std::string timeZone;
    std::vector<Target> targets;
    std::vector<std::string> labels;
    ContentSource source;
    std::vector<ContentId> contentIds;
    std::string searchText;
    std::string createdBy;
    std::optional<Instant> publishedAt;
    std::optional<Instant> deletedAt;

    /// Only in requests: `next`.
    std::optional<std::string> slot;
    /// Only in answers.
    std::optional<std::vector<Warning>> warnings;
    std::optional<std::vector<ItemView>> items;
    std::optional<std::vector<PublishAttempt>> attempts;
};

bool isNextSlot(std::string_view text);

constexpr auto schemaOf(const Post*)
{
    return describe(field<&Post::postId>().readOnly().column("id"), field<&Post::brandId>(), field<&Post::title>().maxLength(200),
                    field<&Post::text>().maxLength(100'000), field<&Post::mediaIds>().maxItems(20), field<&Post::thread>().maxItems(10),
                    field<&Post::linkUrl>().maxLength(2000), field<&Post::status>().description("In a PUT, `draft` reverts the post"),
                    field<&Post::scheduledFor>(), field<&Post::scheduleOrder>().columnOnly(),
                    field<&Post::timeZone>().maxLength(64).description("Time zone for display; default: the brand's"),
                    field<&Post::targets>().minItems(1).maxItems(50), field<&Post::settings>(),
                    field<&Post::labels>().maxItems(20).maxLength(50).trimmed(), field<&Post::source>(),
                    field<&Post::contentIds>().readOnly().transient(), field<&Post::searchText>().columnOnly(),
                    field<&Post::createdBy>().readOnly(), field<&Post::publishedAt>().readOnly(), field<&Post::deletedAt>().columnOnly(),
                    field<&Post::slot>()
                        .transient()
                        .writeOnly()
                        .matches(isNextSlot, "invalid_slot", "next")
                        .description("`next` selects the next free time of the slot plan; alternative to `scheduledFor`"),
                    field<&Post::warnings>().transient().readOnly().omitEmpty(), field<&Post::items>().transient().readOnly().omitEmpty(),
                    field<&Post::attempts>().transient().readOnly().omitEmpty(), versioned<Post>());
}

/// Posts that are not deleted.
inline constexpr Table postTable{"post", {.where = "deleted_at IS NULL"}, &Post::brandId, &Post::postId};

/// The status of a post by its items (2.A.3).
PostStatus postStatusOf(const std::vector<ContentItem>& items);

/// Fills in the members that a post derives from its items, and its search columns.
void deriveFromItems(Post& post, const std::vector<ContentItem>& items);

/// Writes the content of a target's item: the post's content with the target's overrides. Other members of `item` stay.
void takeContent(ContentItem& item, const Post& post, const Target& target);
bool sameContent(const ContentItem& one, const ContentItem& other);

/// `over` merged into `base`, member by member; both are texts of JSON objects.
std::string mergedObject(const std::string& base, const std::string& over);

} // namespace portico::social
