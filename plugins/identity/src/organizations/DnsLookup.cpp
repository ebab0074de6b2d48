#include "organizations/DnsLookup.h"

#include "portico/Problem.h"

#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <charconv>
#include <netdb.h>
#include <resolv.h>
#include <stdexcept>

namespace portico::identity
{

namespace
{

constexpr std::size_t longestAnswer = 65'535;
constexpr int secondsForTry = 2;
constexpr int tries = 2;

/// A resolver's state, of one look-up.
class Resolver
{
public:
    Resolver()
    {
        if (res_ninit(&state) != 0) throw Problem::unavailable("dns_unreachable", "The system's resolver cannot be used.");
        state.retrans = secondsForTry;
        state.retry = tries;
    }
    ~Resolver() { res_nclose(&state); }
    Resolver(const Resolver&) = delete;
    Resolver& operator=(const Resolver&) = delete;

    struct __res_state state = {};
};

/// The strings of one record, joined.
std::string joined(std::span<const unsigned char> data)
{
    std::string text;
    while (!data.empty())
    {
        const std::size_t length = data.front();
        if (length >= data.size()) break;
        text.append(data.begin() + 1, data.begin() + 1 + static_cast<std::ptrdiff_t>(length));
        data = data.subspan(1 + length);
    }
    return text;
}

} // namespace

DnsLookup::DnsLookup(const std::vector<std::string>& servers)
{
    for (const auto& text : servers)
    {
        const auto colon = text.rfind(':');
        Server server;
        in_addr address{};
        unsigned short port = 0;
        const auto* end = text.data() + text.size();
        if (colon == std::string::npos || inet_pton(AF_INET, text.substr(0, colon).c_str(), &address) != 1 ||
            std::from_chars(text.data() + colon + 1, end, port).ptr != end || port == 0)
            throw std::invalid_argument("identity.domains.resolvers: \"" + text + "\" is no IPv4 address with a port, as 192.0.2.1:53");
        server.address = address.s_addr;
        server.port = htons(port);
        _servers.push_back(server);
    }
    if (_servers.size() > MAXNS) throw std::invalid_argument("identity.domains.resolvers: at most " + std::to_string(MAXNS));
}

std::vector<std::string> DnsLookup::txt(const std::string& name) const
{
    Resolver resolver;
    auto& state = resolver.state;
    if (!_servers.empty()) state.nscount = static_cast<int>(_servers.size());
    for (std::size_t i = 0; i < _servers.size(); ++i)
    {
        state.nsaddr_list[i] = {};
        state.nsaddr_list[i].sin_family = AF_INET;
        state.nsaddr_list[i].sin_addr.s_addr = _servers[i].address;
        state.nsaddr_list[i].sin_port = _servers[i].port;
    }
    std::vector<unsigned char> answer(longestAnswer);
    const int size = res_nquery(&state, name.c_str(), ns_c_in, ns_t_txt, answer.data(), static_cast<int>(answer.size()));
    if (size >= 0) return textsOf({answer.data(), std::min(answer.size(), static_cast<std::size_t>(size))});
    if (state.res_h_errno == HOST_NOT_FOUND || state.res_h_errno == NO_DATA) return {};
    throw Problem::unavailable("dns_unreachable", "No name server has answered: try again.", 10);
}

std::vector<std::string> DnsLookup::textsOf(std::span<const unsigned char> message)
{
    std::vector<std::string> texts;
    ns_msg parsed{};
    if (ns_initparse(message.data(), static_cast<int>(message.size()), &parsed) != 0) return texts;
    for (int i = 0; i < ns_msg_count(parsed, ns_s_an); ++i)
    {
        ns_rr record{};
        if (ns_parserr(&parsed, ns_s_an, i, &record) != 0) break;
        if (ns_rr_type(record) == ns_t_txt && ns_rr_class(record) == ns_c_in)
            texts.push_back(joined({ns_rr_rdata(record), static_cast<std::size_t>(ns_rr_rdlen(record))}));
    }
    return texts;
}

} // namespace portico::identity
