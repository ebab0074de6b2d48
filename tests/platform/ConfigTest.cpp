#include "host/platform/context/ServiceConfig.h"

#include <cppunit/extensions/HelperMacros.h>

#include <stdexcept>

namespace portico::tests
{

using namespace host::platform;
using host::plugins::Manifest;

class ConfigTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(ConfigTest);
    CPPUNIT_TEST(fillsInDefaults);
    CPPUNIT_TEST(hidesWhatIsNotDeclared);
    CPPUNIT_TEST(tellsWhetherRatesAreLimited);
    CPPUNIT_TEST(namesEveryFault);
    CPPUNIT_TEST(checksDefaultsToo);
    CPPUNIT_TEST(readsTypes);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        _manifest.serviceId = "crm";
        _manifest.config["crm.attachments.maxBytes"] = {"integer", "1024", 1, 4096, ""};
        _manifest.config["crm.attachments.enabled"] = {"boolean", "true", {}, {}, ""};
        _manifest.config["crm.session"] = {"seconds", "30", {}, {}, ""};
        _manifest.config["crm.title"] = {"string", std::nullopt, {}, {}, ""};
    }

    void fillsInDefaults()
    {
        const auto config = makeConfig(_manifest, {{"crm.session", "60"}});
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1024}, config.integer("crm.attachments.maxBytes"));
        CPPUNIT_ASSERT(config.boolean("crm.attachments.enabled"));
        CPPUNIT_ASSERT(config.seconds("crm.session") == std::chrono::seconds(60));
        CPPUNIT_ASSERT(!config.find("crm.title"));
        CPPUNIT_ASSERT_THROW(config.text("crm.title"), std::out_of_range);
    }

    void hidesWhatIsNotDeclared()
    {
        const auto config = makeConfig(_manifest, {{"mail.passwordFile", "/secret"}, {"crm.title", "Contacts"}});
        CPPUNIT_ASSERT(!config.find("mail.passwordFile"));
        CPPUNIT_ASSERT_EQUAL(std::string("Contacts"), config.text("crm.title"));
    }

    void tellsWhetherRatesAreLimited()
    {
        CPPUNIT_ASSERT(makeConfig(_manifest, {{"limits.rates", "off"}}).find("limits.rates") == "off");
        CPPUNIT_ASSERT(makeConfig(_manifest, {{"limits.requestsPerMinute", "60"}}).find("limits.requestsPerMinute") == "60");
        CPPUNIT_ASSERT(!makeConfig(_manifest, {{"limits.head", "1"}}).find("limits.head"));
    }

    void namesEveryFault()
    {
        const Settings settings = {{"crm.attachments.maxBytes", "4097"}, {"crm.attachments.enabled", "yes"}, {"crm.session", "10s"}};
        const auto faults = checkSettings(_manifest, settings);
        CPPUNIT_ASSERT_EQUAL(std::size_t{3}, faults.size());
        CPPUNIT_ASSERT_EQUAL(std::string("crm.attachments.enabled: expected true or false, found \"yes\""), faults[0].text());
        CPPUNIT_ASSERT_EQUAL(std::string("crm.attachments.maxBytes: expected an integer from 1 up to 4096, found \"4097\""),
                             faults[1].text());
        try
        {
            makeConfig(_manifest, settings);
            CPPUNIT_FAIL("bad settings were taken");
        }
        catch (const std::runtime_error& error)
        {
            for (const auto& fault : faults) CPPUNIT_ASSERT(std::string(error.what()).find(fault.text()) != std::string::npos);
        }
    }

    void checksDefaultsToo()
    {
        _manifest.config["crm.limit"] = {"integer", "many", {}, {}, ""};
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, checkSettings(_manifest, {}).size());
    }

    void readsTypes()
    {
        const Config config({{"a", "12"}, {"b", "12x"}, {"c", "TRUE"}, {"d", "-5"}, {"e", "99999999999999999999"}});
        CPPUNIT_ASSERT_EQUAL(std::int64_t{-5}, config.integer("d"));
        CPPUNIT_ASSERT_THROW(config.integer("b"), std::invalid_argument);
        CPPUNIT_ASSERT_THROW(config.integer("e"), std::invalid_argument);
        CPPUNIT_ASSERT_THROW(config.boolean("c"), std::invalid_argument);
        CPPUNIT_ASSERT_THROW(config.seconds("missing"), std::out_of_range);
    }

private:
    Manifest _manifest;
};

CPPUNIT_TEST_SUITE_REGISTRATION(ConfigTest);

} // namespace portico::tests
