#pragma once

#include <bitset>
#include <optional>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// The form of a resource's ids, as manifests write it (`idPattern`): `^pip_[0-9a-z]{26}$`, `^\d+$`, `^prj-[a-z0-9-]{1,40}$`. Characters,
/// `.`, classes, `\d` and `\w`, each with `?`, `*`, `+` or `{n}`, `{n,}`, `{n,m}`, and the anchors; neither groups nor alternatives, so
/// that what others write costs length times length and never more.
class IdPattern
{
public:
    /// @return none for other syntax, and for more than a thousand repetitions
    static std::optional<IdPattern> parse(std::string_view text);
    bool matches(std::string_view id) const;

private:
    struct Step
    {
        std::bitset<256> characters;
        bool optional = false;
        bool repeats = false;
    };
    std::vector<Step> _steps;
};

} // namespace portico::identity
