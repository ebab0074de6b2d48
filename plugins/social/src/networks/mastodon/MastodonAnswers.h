#pragma once

#include "portico/Json.h"
#include "portico/Schema.h"

#include <cstdint>
#include <string>
#include <vector>

namespace portico::social::mastodon
{

// Answers of a Mastodon server, with the members that are used here.

struct Application
{
    std::string clientId;
    std::string clientSecret;
};

constexpr auto schemaOf(const Application*)
{
    return describe(field<&Application::clientId>("client_id"), field<&Application::clientSecret>("client_secret"));
}

/// RFC 8414.
struct ServerMetadata
{
    std::vector<std::string> codeChallengeMethods;
};

constexpr auto schemaOf(const ServerMetadata*)
{
    return describe(field<&ServerMetadata::codeChallengeMethods>("code_challenge_methods_supported"));
}

struct Token
{
    std::string accessToken;
    std::string scope;
    std::string error;
    std::string errorDescription;
};

constexpr auto schemaOf(const Token*)
{
    return describe(field<&Token::accessToken>("access_token"), members<&Token::scope, &Token::error>(),
                    field<&Token::errorDescription>("error_description"));
}

struct StatusLimits
{
    std::int64_t maxCharacters = 0;
    std::int64_t maxMedia = 0;
    std::int64_t urlLength = 0;
};

constexpr auto schemaOf(const StatusLimits*)
{
    return describe(field<&StatusLimits::maxCharacters>("max_characters"), field<&StatusLimits::maxMedia>("max_media_attachments"),
                    field<&StatusLimits::urlLength>("characters_reserved_per_url"));
}

struct MediaLimits
{
    std::int64_t imageBytes = 0;
    std::int64_t videoBytes = 0;
};

constexpr auto schemaOf(const MediaLimits*)
{
    return describe(field<&MediaLimits::imageBytes>("image_size_limit"), field<&MediaLimits::videoBytes>("video_size_limit"));
}

struct InstanceConfiguration
{
    StatusLimits statuses;
    MediaLimits media;
};

constexpr auto schemaOf(const InstanceConfiguration*)
{
    return describe(field<&InstanceConfiguration::statuses>(), field<&InstanceConfiguration::media>("media_attachments"));
}

struct Instance
{
    std::string domain;
    InstanceConfiguration configuration;
};

constexpr auto schemaOf(const Instance*) { return describe(members<&Instance::domain, &Instance::configuration>()); }

struct Account
{
    std::string id;
    std::string username;
    std::string displayName;
    std::string avatar;
};

constexpr auto schemaOf(const Account*)
{
    return describe(members<&Account::id, &Account::username>(), field<&Account::displayName>("display_name"), field<&Account::avatar>());
}

struct Status
{
    std::string id;
    std::string url;
    std::string content;
    std::string createdAt;
    Account account;
};

constexpr auto schemaOf(const Status*)
{
    return describe(members<&Status::id, &Status::url, &Status::content>(), field<&Status::createdAt>("created_at"),
                    field<&Status::account>());
}

/// Counters of a status.
struct CountedStatus
{
    std::string id;
    std::int64_t replies = 0;
    std::int64_t reblogs = 0;
    std::int64_t favourites = 0;
};

constexpr auto schemaOf(const CountedStatus*)
{
    return describe(field<&CountedStatus::id>(), field<&CountedStatus::replies>("replies_count"),
                    field<&CountedStatus::reblogs>("reblogs_count"), field<&CountedStatus::favourites>("favourites_count"));
}

struct StatusList
{
    std::vector<Status> items;
};

constexpr auto schemaOf(const StatusList*) { return describe(field<&StatusList::items>()); }

struct ApiError
{
    std::string error;
};

constexpr auto schemaOf(const ApiError*) { return describe(field<&ApiError::error>()); }

struct Attachment
{
    std::string id;
};

constexpr auto schemaOf(const Attachment*) { return describe(field<&Attachment::id>()); }

/// Content of a status, fixed before its first attempt.
struct NewStatus
{
    std::string status;
    std::string visibility;
    std::string spoilerText;
    bool sensitive = false;
    std::string language;
    std::string inReplyToId;
    std::vector<std::string> mediaIds;
};

constexpr auto schemaOf(const NewStatus*)
{
    return describe(field<&NewStatus::status>(), field<&NewStatus::visibility>().omitEmpty(),
                    field<&NewStatus::spoilerText>("spoiler_text").omitEmpty(), field<&NewStatus::sensitive>(),
                    field<&NewStatus::language>().omitEmpty(), field<&NewStatus::inReplyToId>("in_reply_to_id").omitEmpty(),
                    field<&NewStatus::mediaIds>("media_ids").omitEmpty());
}

} // namespace portico::social::mastodon
