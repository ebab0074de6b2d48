#pragma once

#include "portico/Json.h"
#include "portico/Schema.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace portico::social::linkedin
{

// Requests and answers of LinkedIn's versioned API, with the members that are used here: learn.microsoft.com/linkedin, pages "Posts API",
// "Images API", "Videos API", "Network Update Social Actions" and "Sign In with LinkedIn using OpenID Connect", read in November 2026.

struct UserInfo
{
    std::string sub;
    std::string name;
    std::string picture;
};
constexpr auto schemaOf(const UserInfo*) { return describe(members<&UserInfo::sub, &UserInfo::name, &UserInfo::picture>()); }

struct Organization
{
    std::int64_t id = 0;
    std::string localizedName;
    std::string vanityName;
};
constexpr auto schemaOf(const Organization*)
{
    return describe(members<&Organization::id, &Organization::localizedName, &Organization::vanityName>());
}

struct Distribution
{
    std::string feedDistribution = "MAIN_FEED";
    std::vector<std::string> targetEntities;
    std::vector<std::string> thirdPartyDistributionChannels;
};
constexpr auto schemaOf(const Distribution*)
{
    using D = Distribution;
    return describe(members<&D::feedDistribution, &D::targetEntities, &D::thirdPartyDistributionChannels>());
}

/// An uploaded image or video.
struct Media
{
    std::string id;
    std::string altText;
};
constexpr auto schemaOf(const Media*) { return describe(field<&Media::id>(), field<&Media::altText>().omitEmpty()); }

struct MultiImage
{
    std::vector<Media> images;
};
constexpr auto schemaOf(const MultiImage*) { return describe(members<&MultiImage::images>()); }

/// A link with its card.
struct Article
{
    std::string source;
    std::string title;
};
constexpr auto schemaOf(const Article*) { return describe(members<&Article::source, &Article::title>()); }

struct Content
{
    std::optional<Media> media;
    std::optional<MultiImage> multiImage;
    std::optional<Article> article;
};
constexpr auto schemaOf(const Content*)
{
    return describe(field<&Content::media>().omitEmpty(), field<&Content::multiImage>().omitEmpty(),
                    field<&Content::article>().omitEmpty());
}

struct NewPost
{
    std::string author;
    std::string commentary;
    std::string visibility = "PUBLIC";
    Distribution distribution;
    std::optional<Content> content;
    std::string lifecycleState = "PUBLISHED";
    bool isReshareDisabledByAuthor = false;
};
constexpr auto schemaOf(const NewPost*)
{
    using P = NewPost;
    return describe(members<&P::author, &P::commentary, &P::visibility, &P::distribution>(), field<&P::content>().omitEmpty(),
                    members<&P::lifecycleState, &P::isReshareDisabledByAuthor>());
}

struct UploadPart
{
    std::string uploadUrl;
    std::int64_t firstByte = 0;
    std::int64_t lastByte = 0;
};
constexpr auto schemaOf(const UploadPart*)
{
    return describe(members<&UploadPart::uploadUrl, &UploadPart::firstByte, &UploadPart::lastByte>());
}

struct Upload
{
    std::string uploadUrl;
    std::string image;
    std::string video;
    std::string uploadToken;
    std::vector<UploadPart> uploadInstructions;
};
constexpr auto schemaOf(const Upload*)
{
    using U = Upload;
    return describe(members<&U::uploadUrl, &U::image, &U::video, &U::uploadToken, &U::uploadInstructions>());
}

struct UploadAnswer
{
    Upload value;
};
constexpr auto schemaOf(const UploadAnswer*) { return describe(members<&UploadAnswer::value>()); }

struct UploadRequest
{
    std::string owner;
    std::optional<std::int64_t> fileSizeBytes;
};
constexpr auto schemaOf(const UploadRequest*)
{
    return describe(field<&UploadRequest::owner>(), field<&UploadRequest::fileSizeBytes>().omitEmpty());
}

struct InitializeUpload
{
    UploadRequest initializeUploadRequest;
};
constexpr auto schemaOf(const InitializeUpload*) { return describe(members<&InitializeUpload::initializeUploadRequest>()); }

struct UploadedParts
{
    std::string video;
    std::string uploadToken;
    std::vector<std::string> uploadedPartIds;
};
constexpr auto schemaOf(const UploadedParts*)
{
    return describe(members<&UploadedParts::video, &UploadedParts::uploadToken, &UploadedParts::uploadedPartIds>());
}

struct FinalizeUpload
{
    UploadedParts finalizeUploadRequest;
};
constexpr auto schemaOf(const FinalizeUpload*) { return describe(members<&FinalizeUpload::finalizeUploadRequest>()); }

struct VideoState
{
    std::string status;
};
constexpr auto schemaOf(const VideoState*) { return describe(members<&VideoState::status>()); }

struct Post
{
    std::string id;
    std::string commentary;
    /// Milliseconds since 1970.
    std::int64_t createdAt = 0;
};
constexpr auto schemaOf(const Post*) { return describe(members<&Post::id, &Post::commentary, &Post::createdAt>()); }

struct PageLink
{
    /// `next` or `prev`.
    std::string rel;
};
constexpr auto schemaOf(const PageLink*) { return describe(members<&PageLink::rel>()); }

struct Paging
{
    std::vector<PageLink> links;
};
constexpr auto schemaOf(const Paging*) { return describe(members<&Paging::links>()); }

struct PostList
{
    std::vector<Post> elements;
    Paging paging;
};
constexpr auto schemaOf(const PostList*) { return describe(members<&PostList::elements, &PostList::paging>()); }

struct Likes
{
    std::int64_t totalLikes = 0;
};
constexpr auto schemaOf(const Likes*) { return describe(members<&Likes::totalLikes>()); }

struct Comments
{
    std::int64_t aggregatedTotalComments = 0;
};
constexpr auto schemaOf(const Comments*) { return describe(members<&Comments::aggregatedTotalComments>()); }

struct SocialActions
{
    std::optional<Likes> likesSummary;
    std::optional<Comments> commentsSummary;
};
constexpr auto schemaOf(const SocialActions*) { return describe(members<&SocialActions::likesSummary, &SocialActions::commentsSummary>()); }

struct ApiError
{
    std::string code;
    std::string message;
};
constexpr auto schemaOf(const ApiError*) { return describe(members<&ApiError::code, &ApiError::message>()); }

} // namespace portico::social::linkedin
