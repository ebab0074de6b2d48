#pragma once

#include <span>
#include <string>
#include <vector>

namespace portico::identity
{

/// Asks the domain name system, over UDP and, for long answers, TCP: a stub resolver (RFC 1034, 5.3.1), which is libc's. Waits some seconds
/// at most. Thread-safe.
class DnsLookup
{
public:
    /// @param servers `address:port` of IPv4; none: those of /etc/resolv.conf, read at each lookup
    /// @throws std::invalid_argument for another form
    explicit DnsLookup(const std::vector<std::string>& servers);

    /// Returns the TXT records of a name, each in one piece (RFC 1035, 3.3.14); none if the name does not exist.
    /// @throws Problem 503 `dns_unreachable` if no server answers
    std::vector<std::string> txt(const std::string& name) const;

    /// Parses a DNS message. For a malformed or truncated one, returns the records before the fault.
    static std::vector<std::string> textsOf(std::span<const unsigned char> message);

private:
    struct Server
    {
        /// In network order, both.
        unsigned int address = 0;
        unsigned short port = 0;
    };
    std::vector<Server> _servers;
};

} // namespace portico::identity
