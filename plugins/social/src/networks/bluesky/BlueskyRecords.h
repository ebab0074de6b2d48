#pragma once

#include "portico/Json.h"
#include "portico/Schema.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace portico::social::bluesky
{

// Requests and answers of the XRPC calls that are used here, and the record of a post (app.bsky.feed.post).

struct Session
{
    std::string did;
    std::string handle;
    std::string accessJwt;
    std::string refreshJwt;
    std::optional<bool> active;
    Json didDoc;
};

constexpr auto schemaOf(const Session*)
{
    return describe(
        members<&Session::did, &Session::handle, &Session::accessJwt, &Session::refreshJwt, &Session::active, &Session::didDoc>());
}

struct XrpcError
{
    std::string error;
    std::string message;
};

constexpr auto schemaOf(const XrpcError*) { return describe(members<&XrpcError::error, &XrpcError::message>()); }

struct ResolvedHandle
{
    std::string did;
};

constexpr auto schemaOf(const ResolvedHandle*) { return describe(field<&ResolvedHandle::did>()); }

struct DidService
{
    std::string id;
    std::string type;
    Json serviceEndpoint;
};

constexpr auto schemaOf(const DidService*) { return describe(members<&DidService::id, &DidService::type, &DidService::serviceEndpoint>()); }

struct DidDocument
{
    std::string id;
    std::vector<DidService> service;
};

constexpr auto schemaOf(const DidDocument*) { return describe(members<&DidDocument::id, &DidDocument::service>()); }

/// The `iat` and `exp` of a token, in seconds since 1970.
struct TokenTimes
{
    std::int64_t iat = 0;
    std::int64_t exp = 0;
};

constexpr auto schemaOf(const TokenTimes*) { return describe(members<&TokenTimes::iat, &TokenTimes::exp>()); }

struct StrongRef
{
    std::string uri;
    std::string cid;
};

constexpr auto schemaOf(const StrongRef*) { return describe(members<&StrongRef::uri, &StrongRef::cid>()); }

struct Reply
{
    StrongRef root;
    StrongRef parent;
};

constexpr auto schemaOf(const Reply*) { return describe(members<&Reply::root, &Reply::parent>()); }

struct ByteRange
{
    std::int64_t byteStart = 0;
    std::int64_t byteEnd = 0;
};

constexpr auto schemaOf(const ByteRange*) { return describe(members<&ByteRange::byteStart, &ByteRange::byteEnd>()); }

struct Feature
{
    std::string type;
    std::string uri;
    std::string did;
    std::string tag;
};

constexpr auto schemaOf(const Feature*)
{
    return describe(field<&Feature::type>("$type"), field<&Feature::uri>().omitEmpty(), field<&Feature::did>().omitEmpty(),
                    field<&Feature::tag>().omitEmpty());
}

struct Facet
{
    ByteRange index;
    std::vector<Feature> features;
};

constexpr auto schemaOf(const Facet*) { return describe(members<&Facet::index, &Facet::features>()); }

struct SelfLabel
{
    std::string val;
};

constexpr auto schemaOf(const SelfLabel*) { return describe(field<&SelfLabel::val>()); }

struct SelfLabels
{
    std::string type = "com.atproto.label.defs#selfLabels";
    std::vector<SelfLabel> values;
};

constexpr auto schemaOf(const SelfLabels*) { return describe(field<&SelfLabels::type>("$type"), field<&SelfLabels::values>()); }

struct AspectRatio
{
    std::int64_t width = 0;
    std::int64_t height = 0;
};

constexpr auto schemaOf(const AspectRatio*) { return describe(members<&AspectRatio::width, &AspectRatio::height>()); }

struct EmbeddedImage
{
    Json image;
    std::string alt;
    std::optional<AspectRatio> aspectRatio;
};

constexpr auto schemaOf(const EmbeddedImage*)
{
    return describe(members<&EmbeddedImage::image, &EmbeddedImage::alt>(), field<&EmbeddedImage::aspectRatio>().omitEmpty());
}

struct External
{
    std::string uri;
    std::string title;
    std::string description;
    std::optional<Json> thumb;
};

constexpr auto schemaOf(const External*)
{
    return describe(members<&External::uri, &External::title, &External::description>(), field<&External::thumb>().omitEmpty());
}

/// `app.bsky.embed.images`, `app.bsky.embed.video` or `app.bsky.embed.external`.
struct Embed
{
    std::string type;
    std::vector<EmbeddedImage> images;
    std::optional<External> external;
    std::optional<Json> video;
    std::string alt;
    std::optional<AspectRatio> aspectRatio;
};

constexpr auto schemaOf(const Embed*)
{
    return describe(field<&Embed::type>("$type"), field<&Embed::images>().omitEmpty(), field<&Embed::external>().omitEmpty(),
                    field<&Embed::video>().omitEmpty(), field<&Embed::alt>().omitEmpty(), field<&Embed::aspectRatio>().omitEmpty());
}

struct Post
{
    std::string type = "app.bsky.feed.post";
    std::string text;
    Instant createdAt{};
    std::vector<std::string> langs;
    std::vector<Facet> facets;
    std::optional<SelfLabels> labels;
    std::optional<Embed> embed;
    std::optional<Reply> reply;
};

constexpr auto schemaOf(const Post*)
{
    return describe(field<&Post::type>("$type"), members<&Post::text, &Post::createdAt>(), field<&Post::langs>().omitEmpty(),
                    field<&Post::facets>().omitEmpty(), field<&Post::labels>().omitEmpty(), field<&Post::embed>().omitEmpty(),
                    field<&Post::reply>().omitEmpty());
}

struct PutRecord
{
    std::string repo;
    std::string collection = "app.bsky.feed.post";
    std::string rkey;
    Post record;
};

constexpr auto schemaOf(const PutRecord*)
{
    return describe(members<&PutRecord::repo, &PutRecord::collection, &PutRecord::rkey, &PutRecord::record>());
}

/// A post as the server of an app sees it.
struct CountedPost
{
    std::string uri;
    std::int64_t likeCount = 0;
    std::int64_t repostCount = 0;
    std::int64_t replyCount = 0;
};

constexpr auto schemaOf(const CountedPost*)
{
    return describe(members<&CountedPost::uri, &CountedPost::likeCount, &CountedPost::repostCount, &CountedPost::replyCount>());
}

struct CountedPosts
{
    std::vector<CountedPost> posts;
};

constexpr auto schemaOf(const CountedPosts*) { return describe(field<&CountedPosts::posts>()); }

struct UploadedBlob
{
    Json blob;
};

constexpr auto schemaOf(const UploadedBlob*) { return describe(field<&UploadedBlob::blob>()); }

} // namespace portico::social::bluesky
