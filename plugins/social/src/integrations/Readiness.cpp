#include "integrations/Readiness.h"

#include "integrations/Vault.h"

#include "portico/Text.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace portico::social
{

namespace
{
constexpr auto selfTestLife = std::chrono::hours(24);

/// Returns the host of a URL in lower case, without port and brackets.
std::string hostOf(std::string_view url)
{
    const auto scheme = url.find("://");
    if (scheme == std::string_view::npos) return {};
    auto rest = url.substr(scheme + 3);
    rest = rest.substr(0, rest.find_first_of("/?#"));
    if (const auto user = rest.rfind('@'); user != std::string_view::npos) rest.remove_prefix(user + 1);
    if (rest.starts_with('['))
        rest = rest.substr(1, rest.find(']') - 1);
    else
        rest = rest.substr(0, rest.find(':'));
    std::string host(rest);
    std::ranges::transform(host, host.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    while (host.ends_with('.')) host.pop_back();
    return host;
}

/// Returns the second number of an IPv4 address that begins with `first`, or -1.
int secondOctet(std::string_view host, std::string_view first)
{
    if (!host.starts_with(first)) return -1;
    host.remove_prefix(first.size());
    int value = 0;
    std::size_t digits = 0;
    for (; digits < host.size() && host[digits] >= '0' && host[digits] <= '9' && digits < 3; ++digits)
        value = value * 10 + (host[digits] - '0');
    return digits > 0 && digits < host.size() && host[digits] == '.' ? value : -1;
}

bool isIpv4(std::string_view host)
{
    return !host.empty() && std::ranges::count(host, '.') == 3 &&
           std::ranges::all_of(host, [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
}

bool isLocalAddress(std::string_view host)
{
    if (isIpv4(host))
    {
        const auto shared = secondOctet(host, "172."), carrier = secondOctet(host, "100.");
        return host.starts_with("127.") || host.starts_with("10.") || host.starts_with("192.168.") || host.starts_with("169.254.") ||
               host.starts_with("0.") || (shared >= 16 && shared < 32) || (carrier >= 64 && carrier < 128);
    }
    if (host.find(':') == std::string_view::npos) return false;
    return host == "::1" || host == "::" || host.starts_with("fc") || host.starts_with("fd") || host.starts_with("fe8") ||
           host.starts_with("fe9") || host.starts_with("fea") || host.starts_with("feb") || host.starts_with("::ffff:");
}

void append(std::vector<ReadinessReason>& reasons, std::vector<ReadinessReason> more)
{
    reasons.insert(reasons.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}
} // namespace

bool isTestHost(std::string_view url)
{
    const auto host = hostOf(url);
    static constexpr std::array names = {"localhost", "test",        "example",     "invalid",    "local",
                                         "internal",  "example.com", "example.org", "example.net"};
    return isLocalAddress(host) ||
           std::ranges::any_of(names, [&host](std::string_view name) { return host == name || host.ends_with("." + std::string(name)); });
}

Judgement judge(Platform platform, const ReadinessInput& input)
{
    Judgement judgement;
    if (input.network == nullptr)
    {
        judgement.reasons = {{"not_built", "This version of the server does not connect to the network.", {}}};
        return judgement;
    }
    const auto prefix = "social." + std::string(toString(platform)) + ".";
    if (!input.hasSealingKeys)
        judgement.reasons.push_back(
            {"setting_missing", "The operator has not set a file of sealing keys for tokens.", std::string(sealingKeysSetting)});
    append(judgement.reasons, input.network->missing());
    if (!judgement.reasons.empty())
    {
        judgement.readiness = Readiness::SetupRequired;
        return judgement;
    }
    if (input.sandboxMode)
        judgement.reasons.push_back({"sandbox_mode", "The operator has put this network into sandbox mode.", prefix + "mode"});
    append(judgement.reasons, input.network->trialReasons());
    if (input.atTestHost) judgement.reasons.push_back({"test_host", "An account of the brand is at a loopback, private or test host.", {}});
    if (input.selfTest.restricted)
        judgement.reasons.push_back({"tier_restricted", "The last self-test met a restriction of a development tier.", {}});
    else if (!input.onlyAtTestHosts && (!input.selfTest.passedAt || input.now - *input.selfTest.passedAt > selfTestLife))
        judgement.reasons.push_back({"self_test_due",
                                     input.hasAccounts ? "No self-test has passed in the last 24 hours. Check an account."
                                                       : "No self-test has passed in the last 24 hours. Connect an account and check it.",
                                     {}});
    judgement.readiness = judgement.reasons.empty() ? Readiness::ProductionReady : Readiness::SandboxOnly;
    return judgement;
}

} // namespace portico::social
