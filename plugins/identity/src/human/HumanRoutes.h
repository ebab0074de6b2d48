#pragma once

#include "human/HumanVerification.h"

#include "portico/Routes.h"

namespace portico::identity
{

struct HumanQuery
{
    std::optional<HumanPurpose> purpose;
    /// `altcha`: what ALTCHA's widget reads when it fetches its challenge itself.
    std::string format;
};

constexpr auto schemaOf(const HumanQuery*) { return describe(field<&HumanQuery::purpose>(), field<&HumanQuery::format>().maxLength(20)); }

/// One challenge, in both of the words that are asked for: `challenge` with its signature, or the same as `parameters` for the widget.
struct HumanChallenge
{
    std::optional<std::string> provider;
    std::optional<PowChallenge> challenge;
    std::optional<PowChallenge> parameters;
    std::optional<std::string> signature;
    std::optional<std::string> siteKey;
};

constexpr auto schemaOf(const HumanChallenge*)
{
    return describe(field<&HumanChallenge::provider>().omitEmpty(), field<&HumanChallenge::challenge>().omitEmpty(),
                    field<&HumanChallenge::parameters>().omitEmpty(), field<&HumanChallenge::signature>().omitEmpty(),
                    field<&HumanChallenge::siteKey>().omitEmpty());
}

/// Challenges for whoever is about to send a form without an account.
class HumanRoutes
{
public:
    explicit HumanRoutes(HumanVerification& human) : _human(human) {}
    void declare(Routes& routes);

    HumanChallenge challenge(const Query<HumanQuery>& query);

private:
    HumanVerification& _human;
};

} // namespace portico::identity
