#pragma once

#include "common/Platform.h"

#include <string_view>

namespace portico::social
{

/// Texts of the tile of the launchpad.
struct TileWords
{
    const char* title;
    const char* open;
    const char* untitled;
    const char* facebookPage;
    const char* brand;
    const char* brandText;
    const char* scheduled;
    const char* pending;
    const char* failed;
    const char* published;
    /// Parts of the summary, each behind its number.
    const char* scheduledPart;
    const char* pendingPart;
    const char* failedPart;
    const char* write;
    const char* nothing;
    const char* nothingText;
};

inline constexpr TileWords englishTile{.title = "Posts",
                                       .open = "Open Social",
                                       .untitled = "A post without text",
                                       .facebookPage = "Facebook Page",
                                       .brand = "Create a brand",
                                       .brandText = "A brand combines accounts, posts and approvers.",
                                       .scheduled = "Scheduled",
                                       .pending = "Waiting for approval",
                                       .failed = "Failed",
                                       .published = "Published in the last 7 days",
                                       .scheduledPart = " scheduled",
                                       .pendingPart = " waiting for approval",
                                       .failedPart = " failed",
                                       .write = "New post",
                                       .nothing = "Nothing is scheduled",
                                       .nothingText = "Write the next post."};

inline constexpr TileWords germanTile{.title = "Beiträge",
                                      .open = "Social öffnen",
                                      .untitled = "Beitrag ohne Text",
                                      .facebookPage = "Facebook-Seite",
                                      .brand = "Marke erstellen",
                                      .brandText = "Eine Marke vereint Konten, Beiträge und Freigebende.",
                                      .scheduled = "Geplant",
                                      .pending = "Wartet auf Freigabe",
                                      .failed = "Fehlgeschlagen",
                                      .published = "In den letzten 7 Tagen veröffentlicht",
                                      .scheduledPart = " geplant",
                                      .pendingPart = " zur Freigabe",
                                      .failedPart = " fehlgeschlagen",
                                      .write = "Neuer Beitrag",
                                      .nothing = "Nichts ist geplant",
                                      .nothingText = "Schreiben Sie den nächsten Beitrag."};

/// Returns the name of a network as people write it.
inline const char* platformName(Platform platform, const TileWords& words) noexcept
{
    switch (platform)
    {
    case Platform::Bluesky:
        return "Bluesky";
    case Platform::Mastodon:
        return "Mastodon";
    case Platform::LinkedIn:
        return "LinkedIn";
    case Platform::FacebookPage:
        return words.facebookPage;
    case Platform::Instagram:
        return "Instagram";
    case Platform::Threads:
        return "Threads";
    case Platform::X:
        return "X";
    case Platform::Webhook:
        return "Webhook";
    case Platform::Pinterest:
        return "Pinterest";
    case Platform::YouTube:
        return "YouTube";
    case Platform::TikTok:
        return "TikTok";
    }
    return "";
}

/// Returns the texts for a language tag.
inline const TileWords& tileWordsFor(std::string_view locale) noexcept { return locale.starts_with("de") ? germanTile : englishTile; }

} // namespace portico::social
