#include "records/SecurityPolicy.h"

#include "common/Networks.h"

#include "portico/Problem.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

constexpr std::string_view providerPrefix = "idp:";

bool contains(const std::vector<std::string>& list, std::string_view value) { return std::ranges::find(list, value) != list.end(); }

bool isLoginMethod(std::string_view method)
{
    return method == "password" || method == "passkey" ||
           (method.starts_with(providerPrefix) && method.size() > providerPrefix.size() && method.size() <= 64);
}

/// Returns the first method of the sign-in in a policy's terms; empty for others. Second factors and step-ups follow it in the list.
std::string_view methodOf(const std::vector<std::string>& amr)
{
    for (const auto& word : amr)
    {
        if (word == "pwd") return "password";
        if (word == "pop") return "passkey";
        if (word.starts_with(providerPrefix)) return word;
    }
    return {};
}

std::string place(const std::string& path, std::string_view list, std::size_t index)
{
    return (path.empty() ? std::string() : path + '.') + std::string(list) + '[' + std::to_string(index) + ']';
}

} // namespace

void checkPolicy(const SecurityPolicy& policy, Faults& faults, const std::string& path)
{
    for (std::size_t i = 0; i < policy.allowedLoginMethods.size(); ++i)
        if (!isLoginMethod(policy.allowedLoginMethods[i]))
            faults.add(place(path, "allowedLoginMethods", i), "invalid_choice",
                       "Use password, passkey, or idp: with the id of a provider.");
    for (std::size_t i = 0; i < policy.ipAllowList.size(); ++i)
        if (!Network::parse(policy.ipAllowList[i]))
            faults.add(place(path, "ipAllowList", i), "invalid_network", "An address, or a network as 198.51.100.0/24.");
}

bool allowsMethod(const SecurityPolicy& policy, const std::vector<std::string>& amr)
{
    const auto method = methodOf(amr);
    return method.empty() || policy.allowedLoginMethods.empty() || contains(policy.allowedLoginMethods, method);
}

bool hasSecondFactor(const std::vector<std::string>& amr, std::string_view acr)
{
    if (acr != "aal1") return true;
    // An organization that lets a provider sign in believes what that says of second factors; others do not.
    const auto method = methodOf(amr);
    return method.starts_with(providerPrefix) && contains(amr, "mfa-" + std::string(method));
}

void requirePolicy(const SecurityPolicy& policy, const std::vector<std::string>& amr, std::string_view acr, std::string_view address)
{
    if (!AddressList(policy.ipAllowList).allows(address))
        throw Problem::forbidden("org_policy_ip_not_allowed", "This organization is not open to your network.");
    const auto& allowed = policy.allowedLoginMethods;
    if (!allowsMethod(policy, amr))
    {
        if (std::ranges::all_of(allowed, [](const std::string& one) { return one.starts_with(providerPrefix); }))
            throw Problem::forbidden("use_identity_provider", "This organization signs in through its own provider alone.");
        throw Problem::forbidden("login_method_not_allowed", "This organization does not allow this way of signing in.");
    }
    if (policy.mfaRequired && !hasSecondFactor(amr, acr))
        throw Problem::forbidden("org_policy_mfa_required", "This organization asks for a second factor.");
}

} // namespace portico::identity
