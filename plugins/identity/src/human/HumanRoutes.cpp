#include "human/HumanRoutes.h"

namespace portico::identity
{

void HumanRoutes::declare(Routes& routes)
{
    routes
        .get("/api/public/human-verification", access::open(), &HumanRoutes::challenge, this,
             {.summary = "Create a human-verification challenge"})
        .get("/api/auth/human-verification", access::open(), &HumanRoutes::challenge, this,
             {.summary = "Create a challenge on the origin of any service", .onEveryOrigin = true})
        .post("/api/public/human-verification/checks", access::open(), &HumanRoutes::check, this,
              {.summary = "Redeem a human-verification proof",
               .execution = Execution::Heavy,
               .idempotencyKey = false,
               .problems = {"400 human_verification_failed", "409 challenge_replayed", "428 human_verification_required",
                            "503 provider_unreachable"}});
}

HumanChallenge HumanRoutes::challenge(const Query<HumanQuery>& query)
{
    if (!query->purpose) throw Problem::invalid("purpose", "required", "Name the purpose of the proof.");
    if (!query->format.empty() && query->format != "altcha")
        throw Problem::invalid("format", "invalid_choice", "Use altcha, or leave it out.");
    HumanChallenge answer;
    if (_human.provider() == "turnstile")
    {
        answer.provider = _human.provider();
        answer.siteKey = _human.siteKey();
        return answer;
    }
    auto made = _human.challenge(*query->purpose);
    answer.signature = std::move(made.signature);
    if (query->format.empty())
    {
        answer.provider = _human.provider();
        answer.challenge = std::move(made.parameters);
    }
    else
        answer.parameters = std::move(made.parameters);
    return answer;
}

NoContent HumanRoutes::check(const Request& request, const Body<HumanCheckInput>& input)
{
    _human.require(request, *input->purpose, input->humanVerification);
    return {};
}

} // namespace portico::identity
