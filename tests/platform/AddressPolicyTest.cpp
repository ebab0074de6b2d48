#include "support/Suite.h"

#include "host/platform/outbound/AddressPolicy.h"

#include <stdexcept>
#include <string_view>

namespace portico::tests
{

using host::IpAddress;
using host::IpNetwork;
using host::platform::AddressPolicy;

class AddressPolicyTest : public Suite<AddressPolicyTest>
{
    TEST(refusesWhatIsNotPublic)
    {
        for (const std::string_view address :
             {"0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.0.1",
              "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1",
              "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
              // the same in IPv6's clothes: mapped, NAT64, compatible, 6to4, Teredo
              "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:7f00:1", "64:ff9b::10.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1",
              "::127.0.0.1", "2002:7f00:1::1", "2002:808:808::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "::", "::1", "fc00::1", "fdff::1",
              "fe80::1", "febf::1", "fec0::1", "ff02::1", "ff0e::1", "100::1", "2001:db8::1", "3fff::1", "4000::1"})
            CPPUNIT_ASSERT_MESSAGE(std::string(address), !AddressPolicy().permits(address));
    }

    TEST(permitsWhatIsPublic)
    {
        for (const std::string_view address :
             {"1.1.1.1",         "8.8.8.8",        "9.255.255.255",   "11.0.0.0",        "100.63.255.255", "100.128.0.0",
              "126.255.255.255", "128.0.0.1",      "169.253.255.255", "172.15.255.255",  "172.32.0.0",     "192.167.255.255",
              "192.169.0.0",     "198.17.255.255", "198.20.0.0",      "223.255.255.255", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8",
              "2606:4700::1111", "2a00:1450::1",   "2001:200::1",     "2003::1"})
            CPPUNIT_ASSERT_MESSAGE(std::string(address), AddressPolicy().permits(address));
    }

    TEST(refusesWhatIsNoAddress)
    {
        for (const std::string_view text :
             {"", "localhost", "8.8.8", "8.8.8.8.8", "0x8.8.8.8", "134744072", "fe80::1%eth0", "[2606:4700::1111]", "8.8.8.8:80"})
            CPPUNIT_ASSERT_MESSAGE(std::string(text), !AddressPolicy().permits(text));
    }

    TEST(allowListComesFirst)
    {
        const AddressPolicy policy({"10.1.0.0/16", "127.0.0.1", "fd00:1::/32"});
        CHECK(policy.permits("10.1.2.3"));
        CHECK(policy.permits("::ffff:10.1.2.3"));
        CHECK(policy.permits("127.0.0.1"));
        CHECK(policy.permits("fd00:1::5"));
        CHECK(!policy.permits("10.2.0.1"));
        CHECK(!policy.permits("127.0.0.2"));
        CHECK(!policy.permits("fd00:2::5"));
        CHECK(policy.permits("8.8.8.8"));
        CPPUNIT_ASSERT_THROW(AddressPolicy({"10.1.0.0/16", "intranet"}), std::invalid_argument);
    }

    TEST(readsRanges)
    {
        for (const std::string_view text :
             {"10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8x", "::1/64", "fd00::/129", "/8", ""})
            CPPUNIT_ASSERT_MESSAGE(std::string(text), !IpNetwork::parseExact(text));
        for (const std::string_view text : {"0.0.0.0/0", "10.0.0.0/8", "10.0.0.1", "::/0", "fd00::/8", "::1"})
            CPPUNIT_ASSERT_MESSAGE(std::string(text), IpNetwork::parseExact(text).has_value());
        CHECK(!IpNetwork::parseExact("0.0.0.0/0")->contains(*IpAddress::parse("2606:4700::1")));
        CHECK(IpNetwork::parseExact("10.128.0.0/9")->contains(*IpAddress::parse("10.200.0.1")));
        CHECK(!IpNetwork::parseExact("10.128.0.0/9")->contains(*IpAddress::parse("10.127.0.1")));
    }
};

} // namespace portico::tests
