#include "host/platform/config/ServiceConfig.h"

#include "support/Suite.h"
#include "support/TestDatabase.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace portico::tests
{

using namespace host::platform;
using host::plugins::Manifest;

enum class Mode : std::uint8_t
{
    Fast,
    Safe
};

constexpr auto schemaOf(const Mode*) { return portico::choices<Mode>({{"fast", Mode::Fast}, {"safe", Mode::Safe}}); }

class ConfigTest : public Suite<ConfigTest>
{
    void setUp() override
    {
        _manifest.serviceId = "crm";
        _manifest.config["crm.attachments.maxBytes"] = {"integer", "1024", 1, 4096, ""};
        _manifest.config["crm.attachments.enabled"] = {"boolean", "true", {}, {}, ""};
        _manifest.config["crm.session"] = {"seconds", "30", {}, {}, ""};
        _manifest.config["crm.title"] = {"string", std::nullopt, {}, {}, ""};
    }

    TEST(fillsInDefaults)
    {
        const auto config = makeConfig(_manifest, {{"crm.session", "60"}});
        equal(1024, config.integer("crm.attachments.maxBytes"));
        CHECK(config.boolean("crm.attachments.enabled"));
        CHECK(config.seconds("crm.session") == std::chrono::seconds(60));
        CHECK(!config.find("crm.title"));
        CPPUNIT_ASSERT_THROW(config.text("crm.title"), std::out_of_range);
    }

    TEST(hidesWhatIsNotDeclared)
    {
        const auto config = makeConfig(_manifest, {{"mail.passwordFile", "/secret"}, {"crm.title", "Contacts"}});
        CHECK(!config.find("mail.passwordFile"));
        equal("Contacts", config.text("crm.title"));
    }

    TEST(passesRateSettings)
    {
        CHECK(makeConfig(_manifest, {{"limits.rates", "off"}}).find("limits.rates") == "off");
        CHECK(makeConfig(_manifest, {{"limits.requestsPerMinute", "60"}}).find("limits.requestsPerMinute") == "60");
        CHECK(!makeConfig(_manifest, {{"limits.head", "1"}}).find("limits.head"));
    }

    TEST(namesEveryFault)
    {
        const Settings settings = {{"crm.attachments.maxBytes", "4097"}, {"crm.attachments.enabled", "yes"}, {"crm.session", "10s"}};
        const auto faults = checkSettings(_manifest, settings);
        equal(3, faults.size());
        equal("crm.attachments.enabled: expected true or false, found \"yes\"", faults[0].text());
        equal("crm.attachments.maxBytes: expected an integer from 1 up to 4096, found \"4097\"", faults[1].text());
        try
        {
            makeConfig(_manifest, settings);
            CPPUNIT_FAIL("bad settings were taken");
        }
        catch (const std::runtime_error& error)
        {
            for (const auto& fault : faults) CHECK(std::string(error.what()).find(fault.text()) != std::string::npos);
        }
    }

    TEST(checksDefaultsToo)
    {
        _manifest.config["crm.limit"] = {"integer", "many", {}, {}, ""};
        equal(1, checkSettings(_manifest, {}).size());
    }

    TEST(readsTypes)
    {
        const Config config({{"a", "12"}, {"b", "12x"}, {"c", "TRUE"}, {"d", "-5"}, {"e", "99999999999999999999"}});
        equal(-5, config.integer("d"));
        CPPUNIT_ASSERT_THROW(config.integer("b"), std::invalid_argument);
        CPPUNIT_ASSERT_THROW(config.integer("e"), std::invalid_argument);
        CPPUNIT_ASSERT_THROW(config.boolean("c"), std::invalid_argument);
        CPPUNIT_ASSERT_THROW(config.seconds("missing"), std::out_of_range);
    }

    TEST(choicesAreOneOfTheirWords)
    {
        declare("crm.mode", "choice", "fast", {"fast", "safe"});
        CHECK(makeConfig(_manifest, {}).choice<Mode>("crm.mode") == Mode::Fast);
        CHECK(makeConfig(_manifest, {{"crm.mode", "safe"}}).choice<Mode>("crm.mode") == Mode::Safe);
        for (const auto* wrong : {"", "Fast", "fast,safe", "slow"})
            equal("crm.mode: expected one of fast, safe, found " + (*wrong ? '"' + std::string(wrong) + '"' : "nothing"),
                  onlyFault({{"crm.mode", wrong}}));
        CPPUNIT_ASSERT_THROW(makeConfig(_manifest, {}).choice<Mode>("crm.attachments.enabled"), std::invalid_argument);
    }

    TEST(listsAreSplit)
    {
        declare("crm.tags", "list", "a,b", {});
        declare("crm.days", "list", std::nullopt, {"mon", "tue"});
        const auto config = makeConfig(_manifest, {{"crm.days", " tue ,,mon"}});
        CHECK((config.list("crm.tags") == std::vector<std::string>{"a", "b"}));
        CHECK((config.list("crm.days") == std::vector<std::string>{"tue", "mon"}));
        CHECK(makeConfig(_manifest, {{"crm.tags", ""}}).list("crm.tags").empty());
        equal("crm.days: expected items separated by commas, each of them one of mon, tue, found \"mon,wed\"",
              onlyFault({{"crm.days", "mon,wed"}}));
    }

    TEST(urlsAreAbsolute)
    {
        declare("crm.hook", "url", "", {});
        declare("crm.home", "url", std::nullopt, {});
        const auto config = makeConfig(_manifest, {{"crm.home", "https://example.org:8443/a?b=c"}});
        equal("https://example.org:8443/a?b=c", config.url("crm.home"));
        equal("", config.url("crm.hook"));
        for (const auto* wrong :
             {"", "example.org", "ftp://example.org", "https://", "https://user@example.org", "https://a b", "javascript:x"})
            CPPUNIT_ASSERT_MESSAGE(wrong, onlyFault({{"crm.home", wrong}}).starts_with("crm.home: expected an http or https URL"));
        CPPUNIT_ASSERT_THROW(Config(Settings{{"a", "b"}}).url("a"), std::invalid_argument);
    }

    TEST(secretsAreReadFromTheirFiles)
    {
        declare("crm.apiSecretFile", "secretFile", "", {});
        declare("crm.other", "secretFile", std::nullopt, {});
        equal("", makeConfig(_manifest, {}).secret("crm.apiSecretFile"));
        CPPUNIT_ASSERT_THROW(makeConfig(_manifest, {}).secret("crm.other"), std::out_of_range);
        const TemporaryDirectory folder;
        const auto file = folder.path() / "secret";
        std::ofstream(file) << "  s3cret\nof two lines \n\n";
        const auto config = makeConfig(_manifest, {{"crm.apiSecretFile", file.string()}});
        equal("s3cret\nof two lines", config.secret("crm.apiSecretFile"));
        // Lists of settings show the file only.
        equal(file.string(), config.text("crm.apiSecretFile"));
        CHECK(config.find("crm.apiSecretFile") == file.string());
        // A generation keeps what it read.
        std::ofstream(file) << "another";
        equal("s3cret\nof two lines", config.secret("crm.apiSecretFile"));
        CPPUNIT_ASSERT_THROW(config.secret("crm.session"), std::out_of_range);
    }

    TEST(refusesFilesWithoutASecret)
    {
        declare("crm.apiSecretFile", "secretFile", std::nullopt, {});
        const TemporaryDirectory folder;
        const auto file = folder.path() / "secret";
        std::ofstream(file) << " \n";
        const auto large = folder.path() / "large";
        std::ofstream(large) << std::string(64 * 1024 + 1, 'x');
        for (const auto& wrong : {file, large, folder.path(), folder.path() / "none", std::filesystem::path("/dev/zero")}) try
            {
                makeConfig(_manifest, {{"crm.apiSecretFile", wrong.string()}});
                CPPUNIT_FAIL("taken: " + wrong.string());
            }
            catch (const std::runtime_error& error)
            {
                const std::string text = error.what();
                CPPUNIT_ASSERT_MESSAGE(text,
                                       text.find("crm.apiSecretFile: expected a file with a secret of up to 64 KiB that the daemon may "
                                                 "read, found \"" +
                                                 wrong.string() + "\": write the secret") != std::string::npos);
                CPPUNIT_ASSERT_MESSAGE(text, text.find("xx") == std::string::npos);
            }
        equal("crm.apiSecretFile: expected the path of a file with the secret, found nothing", onlyFault({{"crm.apiSecretFile", ""}}));
    }

    void declare(const std::string& key, const std::string& type, std::optional<std::string> byDefault, std::vector<std::string> choices)
    {
        _manifest.config[key] = {type, std::move(byDefault), {}, {}, "", std::move(choices)};
    }
    std::string onlyFault(const Settings& settings) const
    {
        const auto faults = checkSettings(_manifest, settings);
        equal(1, faults.size());
        return faults.front().text();
    }

    Manifest _manifest;
};

} // namespace portico::tests
