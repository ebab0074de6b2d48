#include "human/HumanRoutes.h"

namespace portico::identity
{

void HumanRoutes::declare(Routes& routes)
{
    routes.get("/api/public/human-verification", access::open(), &HumanRoutes::challenge, this,
               {.summary = "A challenge that tells people from programs, good once for its purpose"});
}

HumanChallenge HumanRoutes::challenge(const Query<HumanQuery>& query)
{
    if (!query->purpose) throw Problem::invalid("purpose", "required", "Say what the proof is for.");
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

} // namespace portico::identity
