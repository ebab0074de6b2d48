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
    return describe(field("did", &Session::did), field("handle", &Session::handle), field("accessJwt", &Session::accessJwt),
                    field("refreshJwt", &Session::refreshJwt), field("active", &Session::active), field("didDoc", &Session::didDoc));
}

struct XrpcError
{
    std::string error;
    std::string message;
};

constexpr auto schemaOf(const XrpcError*) { return describe(field("error", &XrpcError::error), field("message", &XrpcError::message)); }

struct ResolvedHandle
{
    std::string did;
};

constexpr auto schemaOf(const ResolvedHandle*) { return describe(field("did", &ResolvedHandle::did)); }

struct DidService
{
    std::string id;
    std::string type;
    Json serviceEndpoint;
};

constexpr auto schemaOf(const DidService*)
{
    return describe(field("id", &DidService::id), field("type", &DidService::type), field("serviceEndpoint", &DidService::serviceEndpoint));
}

struct DidDocument
{
    std::string id;
    std::vector<DidService> service;
};

constexpr auto schemaOf(const DidDocument*) { return describe(field("id", &DidDocument::id), field("service", &DidDocument::service)); }

/// The `iat` and `exp` of a token, in seconds since 1970.
struct TokenTimes
{
    std::int64_t iat = 0;
    std::int64_t exp = 0;
};

constexpr auto schemaOf(const TokenTimes*) { return describe(field("iat", &TokenTimes::iat), field("exp", &TokenTimes::exp)); }

struct StrongRef
{
    std::string uri;
    std::string cid;
};

constexpr auto schemaOf(const StrongRef*) { return describe(field("uri", &StrongRef::uri), field("cid", &StrongRef::cid)); }

struct Reply
{
    StrongRef root;
    StrongRef parent;
};

constexpr auto schemaOf(const Reply*) { return describe(field("root", &Reply::root), field("parent", &Reply::parent)); }

struct ByteRange
{
    std::int64_t byteStart = 0;
    std::int64_t byteEnd = 0;
};

constexpr auto schemaOf(const ByteRange*)
{
    return describe(field("byteStart", &ByteRange::byteStart), field("byteEnd", &ByteRange::byteEnd));
}

struct Feature
{
    std::string type;
    std::string uri;
    std::string did;
    std::string tag;
};

constexpr auto schemaOf(const Feature*)
{
    return describe(field("$type", &Feature::type), field("uri", &Feature::uri).omitEmpty(), field("did", &Feature::did).omitEmpty(),
                    field("tag", &Feature::tag).omitEmpty());
}

struct Facet
{
    ByteRange index;
    std::vector<Feature> features;
};

constexpr auto schemaOf(const Facet*) { return describe(field("index", &Facet::index), field("features", &Facet::features)); }

struct SelfLabel
{
    std::string val;
};

constexpr auto schemaOf(const SelfLabel*) { return describe(field("val", &SelfLabel::val)); }

struct SelfLabels
{
    std::string type = "com.atproto.label.defs#selfLabels";
    std::vector<SelfLabel> values;
};

constexpr auto schemaOf(const SelfLabels*) { return describe(field("$type", &SelfLabels::type), field("values", &SelfLabels::values)); }

struct AspectRatio
{
    std::int64_t width = 0;
    std::int64_t height = 0;
};

constexpr auto schemaOf(const AspectRatio*) { return describe(field("width", &AspectRatio::width), field("height", &AspectRatio::height)); }

struct EmbeddedImage
{
    Json image;
    std::string alt;
    std::optional<AspectRatio> aspectRatio;
};

constexpr auto schemaOf(const EmbeddedImage*)
{
    return describe(field("image", &EmbeddedImage::image), field("alt", &EmbeddedImage::alt),
                    field("aspectRatio", &EmbeddedImage::aspectRatio).omitEmpty());
}

struct External
{
    std::string uri;
    std::string title;
    std::string description;
};

constexpr auto schemaOf(const External*)
{
    return describe(field("uri", &External::uri), field("title", &External::title), field("description", &External::description));
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
    return describe(field("$type", &Embed::type), field("images", &Embed::images).omitEmpty(),
                    field("external", &Embed::external).omitEmpty(), field("video", &Embed::video).omitEmpty(),
                    field("alt", &Embed::alt).omitEmpty(), field("aspectRatio", &Embed::aspectRatio).omitEmpty());
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
    return describe(field("$type", &Post::type), field("text", &Post::text), field("createdAt", &Post::createdAt),
                    field("langs", &Post::langs).omitEmpty(), field("facets", &Post::facets).omitEmpty(),
                    field("labels", &Post::labels).omitEmpty(), field("embed", &Post::embed).omitEmpty(),
                    field("reply", &Post::reply).omitEmpty());
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
    return describe(field("repo", &PutRecord::repo), field("collection", &PutRecord::collection), field("rkey", &PutRecord::rkey),
                    field("record", &PutRecord::record));
}

struct UploadedBlob
{
    Json blob;
};

constexpr auto schemaOf(const UploadedBlob*) { return describe(field("blob", &UploadedBlob::blob)); }

} // namespace portico::social::bluesky
