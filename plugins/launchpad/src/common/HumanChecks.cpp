#include "common/HumanChecks.h"

#include "common/LocalCall.h"

#include "portico/Json.h"

namespace portico::launchpad
{

namespace
{
struct ProofToCheck
{
    std::string purpose;
    std::optional<HumanProof> humanVerification;

    friend constexpr auto schemaOf(const ProofToCheck*)
    {
        return describe(field<&ProofToCheck::purpose>(), field<&ProofToCheck::humanVerification>().omitEmpty());
    }
};
} // namespace

void HumanChecks::require(const Request& request, std::string_view purpose, const std::optional<HumanProof>& proof) const
{
    const auto response = callLocally(_context, request, "identity", "/api/public/human-verification/checks",
                                      toJson(ProofToCheck{std::string(purpose), proof}));
    if (!response || response->status >= 500)
        throw Problem::unavailable("validation_unavailable", "Human verification is not available now. Try again in a moment.");
    if (response->status != 204) throw problemOf(*response);
}

} // namespace portico::launchpad
