#pragma once

#include "portico/Schema.h"

#include <cstdint>
#include <string>
#include <vector>

namespace portico::social::trends
{

// Answers of Mastodon (`/api/v1/trends/…`) and Bluesky (`app.bsky.feed.getFeed`), with the members that are used here.

/// Numbers of one day as texts, the newest first.
struct History
{
    std::string uses;
    std::string accounts;
};
constexpr auto schemaOf(const History*) { return describe(members<&History::uses, &History::accounts>()); }

struct Tag
{
    std::string name;
    std::string url;
    std::vector<History> history;
};
constexpr auto schemaOf(const Tag*) { return describe(members<&Tag::name, &Tag::url, &Tag::history>()); }

struct Link
{
    std::string url;
    std::string title;
    std::string description;
    std::string language;
    std::vector<History> history;
};
constexpr auto schemaOf(const Link*)
{
    return describe(members<&Link::url, &Link::title, &Link::description, &Link::language, &Link::history>());
}

struct TrendStatus
{
    std::string url;
    std::string content;
    std::string createdAt;
    std::string language;
    std::int64_t replies = 0;
    std::int64_t reblogs = 0;
    std::int64_t favourites = 0;
};
constexpr auto schemaOf(const TrendStatus*)
{
    return describe(members<&TrendStatus::url, &TrendStatus::content>(), field<&TrendStatus::createdAt>("created_at"),
                    field<&TrendStatus::language>(), field<&TrendStatus::replies>("replies_count"),
                    field<&TrendStatus::reblogs>("reblogs_count"), field<&TrendStatus::favourites>("favourites_count"));
}

template <class T>
struct List
{
    std::vector<T> items;

    friend constexpr auto schemaOf(const List*) { return describe(field<&List::items>()); }
};

struct FeedRecord
{
    std::string text;
    std::string createdAt;
    std::vector<std::string> langs;
};
constexpr auto schemaOf(const FeedRecord*) { return describe(members<&FeedRecord::text, &FeedRecord::createdAt, &FeedRecord::langs>()); }

struct FeedAuthor
{
    std::string handle;
};
constexpr auto schemaOf(const FeedAuthor*) { return describe(field<&FeedAuthor::handle>()); }

struct FeedPost
{
    std::string uri;
    FeedAuthor author;
    FeedRecord record;
    std::int64_t likeCount = 0;
    std::int64_t repostCount = 0;
    std::int64_t replyCount = 0;
    std::int64_t quoteCount = 0;
};
constexpr auto schemaOf(const FeedPost*)
{
    return describe(members<&FeedPost::uri, &FeedPost::author, &FeedPost::record, &FeedPost::likeCount, &FeedPost::repostCount,
                            &FeedPost::replyCount, &FeedPost::quoteCount>());
}

struct FeedView
{
    FeedPost post;
};
constexpr auto schemaOf(const FeedView*) { return describe(field<&FeedView::post>()); }

struct FeedPage
{
    std::vector<FeedView> feed;
};
constexpr auto schemaOf(const FeedPage*) { return describe(field<&FeedPage::feed>()); }

} // namespace portico::social::trends
