#pragma once

#include "portico/Json.h"
#include "portico/Schema.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace portico::social::x
{

// Requests and answers of X's API v2, with the members that are used here: docs.x.com, pages "Create Post", "Upload media", "OAuth 2.0
// Authorization Code Flow with PKCE" and "Get Posts", read in November 2026.

struct User
{
    std::string id;
    std::string name;
    std::string username;
    std::string profileImageUrl;
};
constexpr auto schemaOf(const User*)
{
    return describe(members<&User::id, &User::name, &User::username>(), field<&User::profileImageUrl>("profile_image_url"));
}

struct UserAnswer
{
    User data;
};
constexpr auto schemaOf(const UserAnswer*) { return describe(members<&UserAnswer::data>()); }

struct ProcessingInfo
{
    std::string state;
    std::int64_t checkAfterSecs = 0;
};
constexpr auto schemaOf(const ProcessingInfo*)
{
    return describe(field<&ProcessingInfo::state>(), field<&ProcessingInfo::checkAfterSecs>("check_after_secs"));
}

struct Media
{
    std::string id;
    std::optional<ProcessingInfo> processingInfo;
};
constexpr auto schemaOf(const Media*) { return describe(field<&Media::id>(), field<&Media::processingInfo>("processing_info")); }

struct MediaAnswer
{
    Media data;
};
constexpr auto schemaOf(const MediaAnswer*) { return describe(members<&MediaAnswer::data>()); }

struct NewMedia
{
    std::string mediaType;
    std::string mediaCategory;
    std::int64_t totalBytes = 0;
};
constexpr auto schemaOf(const NewMedia*)
{
    return describe(field<&NewMedia::mediaType>("media_type"), field<&NewMedia::mediaCategory>("media_category"),
                    field<&NewMedia::totalBytes>("total_bytes"));
}

struct AltText
{
    std::string text;
};
constexpr auto schemaOf(const AltText*) { return describe(members<&AltText::text>()); }

struct Metadata
{
    AltText altText;
};
constexpr auto schemaOf(const Metadata*) { return describe(field<&Metadata::altText>("alt_text")); }

struct NewMetadata
{
    std::string id;
    Metadata metadata;
};
constexpr auto schemaOf(const NewMetadata*) { return describe(members<&NewMetadata::id, &NewMetadata::metadata>()); }

struct Attached
{
    std::vector<std::string> mediaIds;
};
constexpr auto schemaOf(const Attached*) { return describe(field<&Attached::mediaIds>("media_ids")); }

struct Reply
{
    std::string inReplyTo;
};
constexpr auto schemaOf(const Reply*) { return describe(field<&Reply::inReplyTo>("in_reply_to_tweet_id")); }

struct NewPost
{
    std::string text;
    std::optional<Attached> media;
    std::optional<Reply> reply;
};
constexpr auto schemaOf(const NewPost*)
{
    return describe(field<&NewPost::text>().omitEmpty(), field<&NewPost::media>().omitEmpty(), field<&NewPost::reply>().omitEmpty());
}

struct Counters
{
    std::int64_t likes = 0;
    std::int64_t reposts = 0;
    std::int64_t replies = 0;
};
constexpr auto schemaOf(const Counters*)
{
    return describe(field<&Counters::likes>("like_count"), field<&Counters::reposts>("retweet_count"),
                    field<&Counters::replies>("reply_count"));
}

struct Post
{
    std::string id;
    std::string text;
    std::string createdAt;
    std::optional<Counters> counters;
};
constexpr auto schemaOf(const Post*)
{
    return describe(members<&Post::id, &Post::text>(), field<&Post::createdAt>("created_at"), field<&Post::counters>("public_metrics"));
}

struct PostAnswer
{
    Post data;
};
constexpr auto schemaOf(const PostAnswer*) { return describe(members<&PostAnswer::data>()); }

struct PostListMeta
{
    /// Empty on the last page.
    std::string nextToken;
};
constexpr auto schemaOf(const PostListMeta*) { return describe(field<&PostListMeta::nextToken>("next_token")); }

struct PostList
{
    std::vector<Post> data;
    PostListMeta meta;
};
constexpr auto schemaOf(const PostList*) { return describe(members<&PostList::data, &PostList::meta>()); }

/// RFC 9457.
struct ApiError
{
    std::string title;
    std::string detail;
};
constexpr auto schemaOf(const ApiError*) { return describe(members<&ApiError::title, &ApiError::detail>()); }

} // namespace portico::social::x
