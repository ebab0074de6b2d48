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
    return describe(field("client_id", &Application::clientId), field("client_secret", &Application::clientSecret));
}

/// RFC 8414.
struct ServerMetadata
{
    std::vector<std::string> codeChallengeMethods;
};

constexpr auto schemaOf(const ServerMetadata*)
{
    return describe(field("code_challenge_methods_supported", &ServerMetadata::codeChallengeMethods));
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
    return describe(field("access_token", &Token::accessToken), field("scope", &Token::scope), field("error", &Token::error),
                    field("error_description", &Token::errorDescription));
}

struct StatusLimits
{
    std::int64_t maxCharacters = 0;
    std::int64_t maxMedia = 0;
    std::int64_t urlLength = 0;
};

constexpr auto schemaOf(const StatusLimits*)
{
    return describe(field("max_characters", &StatusLimits::maxCharacters), field("max_media_attachments", &StatusLimits::maxMedia),
                    field("characters_reserved_per_url", &StatusLimits::urlLength));
}

struct MediaLimits
{
    std::int64_t imageBytes = 0;
    std::int64_t videoBytes = 0;
};

constexpr auto schemaOf(const MediaLimits*)
{
    return describe(field("image_size_limit", &MediaLimits::imageBytes), field("video_size_limit", &MediaLimits::videoBytes));
}

struct InstanceConfiguration
{
    StatusLimits statuses;
    MediaLimits media;
};

constexpr auto schemaOf(const InstanceConfiguration*)
{
    return describe(field("statuses", &InstanceConfiguration::statuses), field("media_attachments", &InstanceConfiguration::media));
}

struct Instance
{
    std::string domain;
    InstanceConfiguration configuration;
};

constexpr auto schemaOf(const Instance*)
{
    return describe(field("domain", &Instance::domain), field("configuration", &Instance::configuration));
}

struct Account
{
    std::string id;
    std::string username;
    std::string displayName;
    std::string avatar;
};

constexpr auto schemaOf(const Account*)
{
    return describe(field("id", &Account::id), field("username", &Account::username), field("display_name", &Account::displayName),
                    field("avatar", &Account::avatar));
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
    return describe(field("id", &Status::id), field("url", &Status::url), field("content", &Status::content),
                    field("created_at", &Status::createdAt), field("account", &Status::account));
}

struct StatusList
{
    std::vector<Status> items;
};

constexpr auto schemaOf(const StatusList*) { return describe(field("items", &StatusList::items)); }

struct ApiError
{
    std::string error;
};

constexpr auto schemaOf(const ApiError*) { return describe(field("error", &ApiError::error)); }

struct Attachment
{
    std::string id;
};

constexpr auto schemaOf(const Attachment*) { return describe(field("id", &Attachment::id)); }

/// What is fixed of a status before its first attempt.
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
    return describe(field("status", &NewStatus::status), field("visibility", &NewStatus::visibility).omitEmpty(),
                    field("spoiler_text", &NewStatus::spoilerText).omitEmpty(), field("sensitive", &NewStatus::sensitive),
                    field("language", &NewStatus::language).omitEmpty(), field("in_reply_to_id", &NewStatus::inReplyToId).omitEmpty(),
                    field("media_ids", &NewStatus::mediaIds).omitEmpty());
}

} // namespace portico::social::mastodon
