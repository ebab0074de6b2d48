#pragma once

#include "human/HumanVerification.h"

#include "portico/Routes.h"

namespace portico::identity
{

struct HumanQuery
{
    std::optional<HumanPurpose> purpose;
    /// Value `altcha`: the form that ALTCHA's widget fetches.
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

/// A proof that a form of another service of this host was sent with.
struct HumanCheckInput
{
    std::optional<HumanPurpose> purpose;
    std::optional<HumanProof> humanVerification;
};

constexpr auto schemaOf(const HumanCheckInput*)
{
    return describe(field<&HumanCheckInput::purpose>().required(), field<&HumanCheckInput::humanVerification>());
}

/// Challenges for forms that are sent without an account, and the check of their proofs for other services. Thread-safe.
class HumanRoutes
{
public:
    explicit HumanRoutes(HumanVerification& human) : _human(human) {}
    void declare(Routes& routes);

    HumanChallenge challenge(const Query<HumanQuery>& query);
    NoContent check(const Request& request, const Body<HumanCheckInput>& input);

private:
    HumanVerification& _human;
};

} // namespace portico::identity
