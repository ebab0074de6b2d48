#pragma once

#include "portico/Schema.h"

namespace portico::social
{

/// The networks that the service knows, built or planned (2.A.11).
enum class Platform
{
    Bluesky,
    Mastodon,
    LinkedIn,
    FacebookPage,
    Instagram,
    Threads,
    X,
    Webhook,
    Pinterest,
    YouTube,
    TikTok
};

constexpr auto schemaOf(const Platform*)
{
    using enum Platform;
    return portico::choices<Platform>({{"bluesky", Bluesky},
                                       {"mastodon", Mastodon},
                                       {"linkedin", LinkedIn},
                                       {"facebook_page", FacebookPage},
                                       {"instagram", Instagram},
                                       {"threads", Threads},
                                       {"x", X},
                                       {"webhook", Webhook},
                                       {"pinterest", Pinterest},
                                       {"youtube", YouTube},
                                       {"tiktok", TikTok}});
}

} // namespace portico::social
