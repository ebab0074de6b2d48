#include "human/ChallengeForm.h"

#include "portico/Json.h"

namespace portico::identity
{

namespace
{

struct ChallengeText
{
    PowChallenge parameters;
    std::string signature;

    friend constexpr auto schemaOf(const ChallengeText*)
    {
        return describe(members<&ChallengeText::parameters, &ChallengeText::signature>());
    }
};

} // namespace

std::string challengeFor(HumanVerification& human, HumanPurpose purpose)
{
    const auto made = human.challenge(purpose);
    return toJson(ChallengeText{made.parameters, made.signature});
}

bool isOfHuman(const Problem& problem)
{
    return problem.code().starts_with("human_verification") || problem.code() == "challenge_replayed";
}

Problem shownProblem(const Problem& problem) { return isOfHuman(problem) ? Problem(problem.status(), "not_human") : problem; }

} // namespace portico::identity
