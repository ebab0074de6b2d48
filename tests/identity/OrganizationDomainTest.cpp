#include "identity/IdentityHost.h"

#include "organizations/DnsLookup.h"
#include "organizations/DomainRoutes.h"
#include "users/User.h"

#include "portico/interfaces/Seats.h"

#include <arpa/inet.h>
#include <map>
#include <mutex>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace portico::tests
{

namespace
{

/// Name server on a random port that serves TXT records of some names. Answers that exceed a datagram are sent over TCP.
class NameServer
{
public:
    NameServer()
    {
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        _tcp = socket(AF_INET, SOCK_STREAM, 0);
        _udp = socket(AF_INET, SOCK_DGRAM, 0);
        socklen_t size = sizeof address;
        const auto* raw = reinterpret_cast<const sockaddr*>(&address);
        if (bind(_tcp, raw, size) != 0 || getsockname(_tcp, reinterpret_cast<sockaddr*>(&address), &size) != 0 || listen(_tcp, 4) != 0 ||
            bind(_udp, raw, size) != 0 || pipe(_stop) != 0)
            throw std::runtime_error("no sockets");
        _thread = std::thread([this] { serve(); });
    }
    ~NameServer()
    {
        close(_stop[1]);
        _thread.join();
        for (const int one : {_tcp, _udp, _stop[0]}) close(one);
    }
    std::string place() const { return "127.0.0.1:" + std::to_string(ntohs(address.sin_port)); }
    void set(const std::string& name, std::vector<std::string> texts)
    {
        const std::scoped_lock lock(_mutex);
        _texts[name] = std::move(texts);
    }
    void fail(bool failing)
    {
        const std::scoped_lock lock(_mutex);
        _failing = failing;
    }
    bool usedTcp() const noexcept { return _usedTcp; }

private:
    void serve()
    {
        for (;;)
        {
            pollfd events[] = {{_udp, POLLIN, 0}, {_tcp, POLLIN, 0}, {_stop[0], POLLIN, 0}};
            if (poll(events, 3, -1) <= 0 || events[2].revents != 0) return;
            if (events[0].revents != 0) overUdp();
            if (events[1].revents != 0) overTcp();
        }
    }
    void overUdp()
    {
        char buffer[1024];
        sockaddr_in peer{};
        socklen_t size = sizeof peer;
        const auto length = recvfrom(_udp, buffer, sizeof buffer, 0, reinterpret_cast<sockaddr*>(&peer), &size);
        if (length < 12) return;
        const auto reply = answer({buffer, static_cast<std::size_t>(length)}, 512);
        sendto(_udp, reply.data(), reply.size(), 0, reinterpret_cast<const sockaddr*>(&peer), size);
    }
    void overTcp()
    {
        const int peer = accept(_tcp, nullptr, nullptr);
        char head[2];
        char buffer[1024];
        if (recv(peer, head, 2, MSG_WAITALL) == 2)
        {
            const auto length = recv(peer, buffer, static_cast<unsigned char>(head[1]), MSG_WAITALL);
            auto reply = answer({buffer, static_cast<std::size_t>(length)}, 65'535);
            reply = std::string({static_cast<char>(reply.size() >> 8), static_cast<char>(reply.size())}) + reply;
            _usedTcp = true;
            send(peer, reply.data(), reply.size(), MSG_NOSIGNAL);
        }
        close(peer);
    }
    std::string answer(std::string_view query, std::size_t most)
    {
        std::string name;
        std::size_t at = 12;
        while (at < query.size() && query[at] != 0)
        {
            const auto length = static_cast<std::size_t>(query[at]);
            name += (name.empty() ? "" : ".") + std::string(query.substr(at + 1, length));
            at += length + 1;
        }
        const std::string question(query.substr(12, at + 5 - 12));
        const std::scoped_lock lock(_mutex);
        const auto known = _texts.find(name);
        const int code = _failing ? 2 : known == _texts.end() ? 3 : 0;
        std::string records;
        std::size_t count = 0;
        if (code == 0)
            for (const auto& text : known->second)
            {
                std::string data;
                for (std::size_t i = 0; i < text.size(); i += 200)
                {
                    const auto part = text.substr(i, 200);
                    data += static_cast<char>(part.size()) + part;
                }
                records += std::string("\xc0\x0c\0\x10\0\x01\0\0\0\0", 10);
                records += static_cast<char>(data.size() >> 8);
                records += static_cast<char>(data.size());
                records += data;
                ++count;
            }
        const bool cut = 12 + question.size() + records.size() > most;
        std::string reply(query.substr(0, 2));
        reply += static_cast<char>(cut ? 0x87 : 0x85);
        reply += static_cast<char>(0x80 | code);
        reply += std::string("\0\x01", 2);
        reply += std::string({0, static_cast<char>(cut ? 0 : count)});
        reply += std::string(4, '\0');
        return reply + question + (cut ? "" : records);
    }

    sockaddr_in address{};
    int _tcp = -1, _udp = -1;
    int _stop[2] = {-1, -1};
    std::mutex _mutex;
    std::map<std::string, std::vector<std::string>> _texts;
    bool _failing = false;
    std::atomic<bool> _usedTcp = false;
    std::thread _thread;
};

class PurchasedSeats final : public interfaces::Seats
{
public:
    bool hasRoom(Tenant, std::int64_t occupied) override { return occupied < purchased; }
    bool hasLiveSubscription(std::string_view) override { return false; }

    std::int64_t purchased = 0;
};

} // namespace

/// Domains: claims, verification by a DNS record, and auto-join.
class OrganizationDomainTest : public Suite<OrganizationDomainTest>
{
    void setUp() override
    {
        _server = std::make_unique<NameServer>();
        _host = std::make_unique<IdentityHost>(IdentityHost::Settings{{"identity.domains.resolvers", _server->place()}});
        _host->createUser("owner@acme.example", "acme", "owner");
        _host->createUser("super@acme.example", "acme", "super_admin");
        _host->createUser("owner@other.example", "other", "owner");
        _acme = _host->organizationId("acme");
        _token = _host->signIn("owner@acme.example", "identity");
        _otherToken = _host->signIn("owner@other.example", "identity");
    }
    void tearDown() override
    {
        _host.reset();
        _server.reset();
    }

    TEST(isProvedByARecord)
    {
        const auto claimed = claim(R"({"domain":"acme.example","autoJoinRole":"member"})");
        equal(201, claimed.status);
        equal("pending", claimed.at("/status"));
        equal("TXT", claimed.at("/dnsRecord/type"));
        equal("dns_record_missing", verify().code());
        _server->set(claimed.at("/dnsRecord/name"), {"v=spf1 -all", "portico-domain-verification=of-another"});
        equal("dns_record_missing", verify().code());
        _server->set(claimed.at("/dnsRecord/name"), {"v=spf1 -all", claimed.at("/dnsRecord/value")});
        const auto verified = verify();
        equal(200, verified.status);
        equal("verified", verified.at("/status"));
        equal(200, verify().status);
        const auto shown = call(_token, Method::Get, "/api/organizations/" + _acme);
        equal("acme.example", shown.at("/domains/0/domain"));
        equal("verified", shown.at("/domains/0/status"));
        equal("member", shown.at("/domains/0/autoJoinRole"));
        // A repeated claim only changes the role.
        const auto again = claim(R"({"domain":"acme.example"})");
        equal(200, again.status);
        equal("verified", again.at("/status"));
        equal("null", again.at("/autoJoinRole"));
        equal("version_conflict", _host->codeOfStaleDelete(_token, path("acme.example")));
        equal(204, call(_token, Method::Delete, path("acme.example")).status);
        equal(404, call(_token, Method::Delete, path("acme.example")).status);
        equal(404, verify().status);
    }

    TEST(belongsToOneOrganization)
    {
        const auto others = "/api/organizations/" + _host->organizationId("other") + "/domains";
        const auto mine = claim(R"({"domain":"acme.example"})");
        const auto theirs = call(_otherToken, Method::Post, others, R"({"domain":"acme.example"})");
        // Each organization has a different record.
        CHECK(mine.at("/dnsRecord/value") != theirs.at("/dnsRecord/value"));
        _server->set(mine.at("/dnsRecord/name"), {mine.at("/dnsRecord/value"), theirs.at("/dnsRecord/value")});
        {
            const std::jthread one([&] { verify(); });
            const std::jthread other([&] { call(_otherToken, Method::Post, others + "/acme.example/verify"); });
        }
        equal(1, _host->count("SELECT COUNT(*) FROM organization_domains WHERE status = 'verified'"));
        const bool won = verify().status == 200;
        const auto late = won ? call(_otherToken, Method::Post, others + "/acme.example/verify") : verify();
        equal("domain_claimed", late.code());
        const auto third =
            won ? call(_otherToken, Method::Post, others, R"({"domain":"acme.example"})") : claim(R"({"domain":"acme.example"})");
        equal("domain_claimed", third.code());
    }

    TEST(looksLikeADomain)
    {
        for (const auto* bad : {"acme", "Acme.example", "acme..example", ".example", "acme.example.", "-a.example", "a_b.example",
                                "a b.example", "acme.example/x", "*.example", "192.0.2.1:53"})
            equal("validation_failed", claim(jsonWith(R"({"domain":"$"})", bad)).code(), bad);
        equal(201, claim(R"({"domain":"xn--mller-kva.example"})").status);
        equal("validation_failed", claim(jsonWith(R"({"domain":"$.example"})", std::string(64, 'a'))).code());
        equal("role_above_own", call(_host->signIn("super@acme.example", "identity"), Method::Post,
                                     "/api/organizations/" + _acme + "/domains", R"({"domain":"b.example","autoJoinRole":"owner"})")
                                    .code());
    }

    TEST(keepsToTheOrganization)
    {
        claim(R"({"domain":"acme.example"})");
        equal(404, call(_otherToken, Method::Get, "/api/organizations/" + _acme + "/domains").status);
        equal(404, call(_otherToken, Method::Post, path("acme.example") + "/verify").status);
        equal(404, call(_otherToken, Method::Delete, path("acme.example")).status);
        _host->createUser("admin@acme.example", "acme", "admin");
        equal("permission_denied",
              call(_host->signIn("admin@acme.example", "identity"), Method::Get, "/api/organizations/" + _acme + "/domains").code());
        equal(1, call(_token, Method::Get, "/api/organizations/" + _acme + "/domains").count("/items"));
    }

    TEST(bringsInWhoHasAnAddressThere)
    {
        const auto claimed = claim(R"({"domain":"acme.example","autoJoinRole":"guest"})");
        const auto id = _host->createUser("new@acme.example");
        CHECK(!joins(id));
        _server->set(claimed.at("/dnsRecord/name"), {claimed.at("/dnsRecord/value")});
        verify();
        CHECK(!joins(_host->createUser("new@sub.acme.example")));
        _host->change("UPDATE users SET email_verified = FALSE WHERE id = $1", {id});
        CHECK(!joins(id));
        _host->change("UPDATE users SET email_verified = TRUE WHERE id = $1", {id});
        CHECK(joins(id));
        CHECK(!joins(id));
        equal("guest", _host->provided<interfaces::Directory>().member(Tenant::fromStored(_acme), id)->role);
        // A removed member does not rejoin.
        equal(204, call(_token, Method::Delete, "/api/organizations/" + _acme + "/members/" + id).status);
        CHECK(!joins(id));
    }

    TEST(joinsWhileASeatIsFree)
    {
        // Two members have seats.
        _seats.purchased = 2;
        _host->context().services().offer<interfaces::Seats>(_seats);
        const auto claimed = claim(R"({"domain":"acme.example","autoJoinRole":"member"})");
        _server->set(claimed.at("/dnsRecord/name"), {claimed.at("/dnsRecord/value")});
        equal(200, verify().status);
        const auto id = _host->createUser("new@acme.example");
        CHECK(!joins(id));
        equal(0, _host->count("SELECT COUNT(*) FROM memberships WHERE user_id = '" + id + '\''));
        _seats.purchased = 3;
        CHECK(joins(id));
    }

    TEST(joinRoleIsAtMostThatOfItsAuthor)
    {
        const auto super = _host->signIn("super@acme.example", "identity");
        const auto claimed = call(super, Method::Post, "/api/organizations/" + _acme + "/domains",
                                  R"({"domain":"acme.example","autoJoinRole":"super_admin"})");
        _server->set(claimed.at("/dnsRecord/name"), {claimed.at("/dnsRecord/value")});
        equal(200, verify().status);
        const auto roleOf = [&](const std::string& email)
        {
            const auto id = _host->createUser(email);
            CHECK(joins(id));
            return _host->provided<interfaces::Directory>().member(Tenant::fromStored(_acme), id)->role;
        };
        equal("super_admin", roleOf("first@acme.example"));
        _host->createUser("super@acme.example", "acme", "guest");
        equal("member", roleOf("second@acme.example"));
        // The role applies after an actor with the right has set it.
        equal(200, claim(R"({"domain":"acme.example","autoJoinRole":"admin"})").status);
        equal("admin", roleOf("third@acme.example"));
    }

    TEST(isLookedForAgain)
    {
        const auto claimed = claim(R"({"domain":"acme.example"})");
        const auto name = claimed.at("/dnsRecord/name");
        const std::vector<std::string> record = {claimed.at("/dnsRecord/value")};
        _server->set(name, record);
        equal(200, verify().status);
        const auto status = [&](std::chrono::hours later)
        {
            nextDay(later);
            return _host->context().database().session().value<std::string>("SELECT status FROM organization_domains").value();
        };
        const auto mails = [&] { return _host->context().mailer().sentTo("owner@acme.example").size(); };
        equal("verified", status(std::chrono::hours(24)));
        // A missing answer changes nothing, and a record restored in time stays valid.
        _server->fail(true);
        equal("verified", status(std::chrono::hours(24 * 30)));
        _server->fail(false);
        equal(0, mails());
        _server->set(name, {"v=spf1 -all"});
        equal("verified", status(std::chrono::hours(24)));
        equal("verified", status(std::chrono::hours(24 * 6)));
        equal(1, mails());
        _server->set(name, record);
        equal("verified", status(std::chrono::hours(24)));
        _server->set(name, {});
        equal("verified", status(std::chrono::hours(24)));
        equal("pending", status(std::chrono::hours(24 * 7)));
        equal(3, mails());
        CHECK(_host->context().mailer().sent().back().text.find(record.front()) != std::string::npos);
        // Proved again as the first time.
        _server->set(name, record);
        _token = _host->signIn("owner@acme.example", "identity");
        equal("verified", verify().at("/status"));
    }

    /// A name server that is silent held up the look at all domains behind its own.
    TEST(eachIsLookedForByAJobOfItsOwn)
    {
        for (int i = 0; i < 25; ++i)
            _host->change("INSERT INTO organization_domains (organization_id, domain, status, token, version, created_at, updated_at) "
                          "VALUES ($1, $2, 'verified', 't', 1, 0, 0)",
                          {_acme, "d" + std::to_string(i) + ".example"});
        const auto seen = [&] { return _host->count("SELECT COUNT(*) FROM organization_domains WHERE missing_since IS NOT NULL"); };
        const auto waiting = [&] { return _host->context().jobs().waiting("identity.domain").size(); };
        nextDay(std::chrono::hours(24));
        equal(10, seen());
        equal(15, waiting());
        _host->context().clock().advance(std::chrono::seconds(1));
        _host->context().jobs().runDue();
        equal(20, seen());
        // A pending check is not enqueued twice.
        _host->context().clock().advance(std::chrono::hours(24));
        _host->context().jobs().runDue();
        equal(25, seen());
        _host->context().clock().advance(std::chrono::seconds(2));
        _host->context().jobs().runDue();
        equal(0, waiting());
        CHECK(_host->context().jobs().failures().empty());
    }

    TEST(goesToItsNextHolder)
    {
        const auto others = "/api/organizations/" + _host->organizationId("other") + "/domains";
        const auto mine = claim(R"({"domain":"acme.example"})");
        const auto name = mine.at("/dnsRecord/name");
        _server->set(name, {mine.at("/dnsRecord/value")});
        equal(200, verify().status);
        const auto take = [&] { return call(_otherToken, Method::Post, others, R"({"domain":"acme.example"})"); };
        _server->set(name, {});
        equal("domain_claimed", take().code());
        nextDay(std::chrono::hours(24));
        _otherToken = _host->signIn("owner@other.example", "identity");
        const auto theirs = take();
        equal(201, theirs.status);
        // While both say so it stays with the first.
        _server->set(name, {mine.at("/dnsRecord/value"), theirs.at("/dnsRecord/value")});
        equal("domain_claimed", call(_otherToken, Method::Post, others + "/acme.example/verify").code());
        _server->set(name, {theirs.at("/dnsRecord/value")});
        equal(200, call(_otherToken, Method::Post, others + "/acme.example/verify").status);
        equal(1, _host->count("SELECT COUNT(*) FROM organization_domains WHERE status = 'verified'"));
        _token = _host->signIn("owner@acme.example", "identity");
        equal("dns_record_missing", verify().code());
    }

    TEST(readsLongAnswers)
    {
        const identity::DnsLookup dns({_server->place()});
        CHECK(dns.txt("nothing.example").empty());
        const std::vector<std::string> texts = {std::string(450, 'a'), "short", std::string(900, 'b')};
        _server->set("long.example", texts);
        CHECK(dns.txt("long.example") == texts);
        CHECK(_server->usedTcp());
        for (const auto* bad : {"localhost:53", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:70000", "[::1]:53"})
            CPPUNIT_ASSERT_THROW(identity::DnsLookup({bad}), std::invalid_argument);
    }

    TEST(reportsSilentNameservers)
    {
        claim(R"({"domain":"acme.example"})");
        _server->fail(true);
        equal("dns_unreachable", verify().code());
        _server->fail(false);
        equal("dns_record_missing", verify().code());
    }

    void nextDay(std::chrono::hours later)
    {
        _host->context().clock().advance(later);
        _host->context().jobs().runDue();
    }
    std::string path(std::string_view domain) const { return "/api/organizations/" + _acme + "/domains/" + std::string(domain); }
    TestAnswer call(const std::string& token, Method method, std::string target, std::string body = {})
    {
        return _host->call({.method = method, .target = std::move(target), .body = std::move(body)}, token);
    }
    TestAnswer claim(std::string body) { return call(_token, Method::Post, "/api/organizations/" + _acme + "/domains", std::move(body)); }
    TestAnswer verify() { return call(_token, Method::Post, path("acme.example") + "/verify"); }
    bool joins(const std::string& id)
    {
        return _host->context().database().transact(
            [&](Transaction& transaction)
            {
                const auto user = identity::users::find(transaction, id);
                return identity::domains::joinByAddress(_host->context(), transaction, *user, _host->context().clock().now());
            });
    }

    PurchasedSeats _seats;
    std::unique_ptr<NameServer> _server;
    std::unique_ptr<IdentityHost> _host;
    std::string _acme, _token, _otherToken;
};

} // namespace portico::tests
