#pragma once

#include "portico/Json.h"
#include "portico/Problem.h"
#include "portico/Schema.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::social
{

/// Members of a target's settings that networks read (`settings` of a post and its overrides).
struct PostSettings
{
    /// Mastodon: `public`, `unlisted`, `private` or `direct`; empty: the account's default.
    std::string visibility;
    /// Mastodon: shown in place of the text until a reader opens it.
    std::string contentWarning;
    bool sensitive = false;
    /// BCP 47 tags; Bluesky accepts up to three, Mastodon uses the first.
    std::vector<std::string> languages;
    /// Bluesky's self-labels: `sexual`, `nudity`, `porn`, `graphic-media`.
    std::vector<std::string> labels;
};

constexpr auto schemaOf(const PostSettings*)
{
    return describe(members<&PostSettings::visibility, &PostSettings::contentWarning>(), field<&PostSettings::sensitive>().clearable(),
                    members<&PostSettings::languages, &PostSettings::labels>());
}

/// Reads the known members of a settings object. Unreadable members are treated as unset.
inline PostSettings readSettings(std::string_view settings)
{
    try
    {
        return fromStoredJson<PostSettings>(settings);
    }
    catch (const Problem&)
    {
        return {};
    }
}

} // namespace portico::social
