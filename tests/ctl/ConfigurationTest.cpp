#include "ctl/TemporaryDirectory.h"
#include "support/Suite.h"

#include "host/config/Configuration.h"
#include "host/config/Values.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sys/stat.h>

namespace portico::test
{

using namespace host::config;
using portico::testing::equal;
using portico::testing::Suite;

namespace
{

Catalog crmCatalog()
{
    const auto size = [](std::string_view value) { return fault(Kind::Integer, 1, 1000000000, {}, value); };
    return Catalog({{"crm.attachments.maxBytes",
                     {.kind = Kind::Integer, .defaultValue = "26214400", .applies = Applies::Live, .serviceId = "crm", .fault = size}}});
}

std::string content(const std::filesystem::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

} // namespace

class ConfigurationTest : public Suite<ConfigurationTest>
{
    TEST(laterLayersWin)
    {
        const auto main =
            _directory.write("portico.properties", "server.port = 1001\nlog.level = error\nhttp.loops = 1\nhttp.queue = 11\n");
        _directory.write("conf.d/20-b.properties", "http.loops = 3\n");
        _directory.write("conf.d/10-a.properties", "http.loops = 2\nhttp.queue = 12\n");
        _directory.write("state/services.properties", "http.queue = 13\nserver.port = 1002\n");
        LayerSources sources{
            {main}, _directory.path() / "state", {{"SERVER_PORT", "1003"}, {"LOG_LEVEL", "warning"}}, {"server.port=1004"}};
        const Configuration configuration({}, readLayers({}, sources).entries);
        equal(1004, configuration.integer("server.port"));
        equal("warning", configuration.text("log.level"));
        equal(3, configuration.integer("http.loops"));
        equal(13, configuration.integer("http.queue"));
        equal("command line", configuration.find("server.port")->source.text());
        equal((_directory.path() / "conf.d/20-b.properties").string() + ":1", configuration.find("http.loops")->source.text());
    }

    TEST(unknownKeyNamesFileLineAndNearest)
    {
        const auto file = _directory.write("portico.properties", "# first\n\nserver.prot = 80\n");
        const auto diagnostics = checkFile(file);
        equal(1, diagnostics.size());
        equal(file.string() + ":3: server.prot: expected a known setting, found an unknown one. Did you mean server.port?",
              diagnostics.front().text());
        CHECK(diagnostics.front().serviceId.empty());
    }

    TEST(wrongValueNamesExpectedAndFound)
    {
        const auto file = _directory.write("portico.properties", "server.port = 70000\nservices.crm.enabled = maybe\nlog.level = loud\n");
        const auto diagnostics = checkFile(file);
        equal(3, diagnostics.size());
        equal("a whole number from 1 to 65535", diagnostics[0].expected);
        equal("'70000'", diagnostics[0].found);
        equal("true or false", diagnostics[1].expected);
        equal("one of debug, information, warning, error", diagnostics[2].expected);
    }

    TEST(passwordInDatabaseUrlIsRefusedAndNotRepeated)
    {
        const auto diagnostics =
            checkFile(_directory.write("p.properties", "database.url = postgresql://portico:hunter2@db:5432/portico\n"));
        equal(1, diagnostics.size());
        CHECK(diagnostics.front().text().find("database.passwordFile") != std::string::npos);
        CHECK(diagnostics.front().text().find("hunter2") == std::string::npos);
        CHECK(checkFile(_directory.write("q.properties", "database.url = postgresql://portico@db:5432/portico\n")).empty());
        CHECK(checkFile(_directory.write("r.properties", "database.directUrl =\n")).empty());
        equal(1, checkFile(_directory.write("s.properties", "database.url =\n")).size());
    }

    TEST(redisUrlNamesHostPortAndDatabase)
    {
        const auto full = parseRedisUrl("redis://portico@redis.example.org:6380/3").value();
        equal("redis.example.org", full.host);
        equal("portico", full.user);
        equal(6380, full.port);
        equal(3, full.database);
        for (const char* text : {"redis://h", "redis://h/", "redis://h:6379", "redis://h:6379/0", "redis://h/0"})
        {
            const auto url = parseRedisUrl(text).value();
            equal("h", url.host);
            equal(6379, url.port);
            equal(0, url.database);
        }
        equal("::1", parseRedisUrl("redis://[::1]:7000/1").value().host);
        for (const char* text : {"",
                                 "redis://",
                                 "redis:///0",
                                 "rediss://h",
                                 "h:6379",
                                 "redis://h:",
                                 "redis://h:0",
                                 "redis://h:65536",
                                 "redis://h:6379x",
                                 "redis://h/x",
                                 "redis://h/-1",
                                 "redis://h/0/1",
                                 "redis://h?db=1",
                                 "redis://h h",
                                 "redis://u:secret@h",
                                 "redis://:secret@h",
                                 "redis://@h",
                                 "redis://[::1",
                                 "redis://[]",
                                 "redis://[::1]7"})
            CPPUNIT_ASSERT_MESSAGE(text, !parseRedisUrl(text));
    }

    TEST(wrongRedisSettingsAreRefusedAndNotRepeated)
    {
        const auto diagnostics = crossed("state.redis.url = redis://u:hunter2@h\nstate.redis.prefix = a:b\n");
        equal(2, diagnostics.size());
        CHECK(diagnostics[0].text().find("p.properties:1: state.redis.url: ") != std::string::npos);
        CHECK(diagnostics[0].text().find("state.redis.passwordFile") != std::string::npos);
        CHECK(diagnostics[0].text().find("hunter2") == std::string::npos);
        equal("state.redis.prefix", diagnostics[1].key);
        CHECK(crossed("state.store = redis\nstate.redis.url = redis://h\n").empty());
        const auto choice = checkFile(_directory.write("q.properties", "state.store = disk\n"));
        equal("one of memory, redis", choice.at(0).expected);
    }

    TEST(incompleteBucketIsRefused)
    {
        const auto missing = crossed("blobs.store = s3\n");
        equal(3, missing.size());
        equal("a value for blobs.s3.endpoint", missing[0].expected);
        const auto key = "blobs.s3.accessKeyFile = " + _directory.write("key", "id\nsecret\n").string() + "\nblobs.store = s3\n";
        CHECK(crossed(key + "blobs.s3.bucket = files\nblobs.s3.endpoint = https://s3.example.org:9000\nblobs.s3.prefix = a/b/\n").empty());
        for (const char* endpoint : {"s3.example.org", "https://", "https://h/bucket", "https://u@h"})
            equal(1, crossed(key + "blobs.s3.bucket = files\nblobs.s3.endpoint = " + endpoint + "\n").size(), endpoint);
        for (const char* prefix : {"/a", "a//b", "../a", "a b"})
            equal(1, crossed(key + "blobs.s3.bucket = files\nblobs.s3.endpoint = https://h\nblobs.s3.prefix = " + prefix + "\n").size(),
                  prefix);
    }

    TEST(wrongAddressesAreFoundByTheCheck)
    {
        for (const char* line : {"server.bind = 127.0.0.1:80",
                                 "server.bind = a b",
                                 "server.bind = ::1,*",
                                 "server.bind = 10.0.0.0/8",
                                 "server.trustedProxies = 10.0.0.0/33",
                                 "server.trustedProxies = proxy.example.org",
                                 "server.trustedProxies = ::1/129",
                                 "server.trustedProxies = 10.0.0.1/x",
                                 "outbound.allowedNetworks = 10.1",
                                 "outbound.allowedNetworks = 10.1.0.0/8",
                                 "outbound.allowedAddresses = 127.0.0.1",
                                 "outbound.allowedAddresses = ::1:8087",
                                 "outbound.allowedAddresses = 127.0.0.1:0",
                                 "outbound.allowedAddresses = localhost:8087",
                                 "metrics.listen = 9464",
                                 "metrics.listen = 127.0.0.1",
                                 "metrics.listen = 127.0.0.1:x",
                                 "metrics.listen = ::1:9464",
                                 "metrics.listen = [::1:9464",
                                 "metrics.listen = 127.0.0.1:65536",
                                 "metrics.listen = :9464",
                                 "mail.from = Portico",
                                 "mail.from = Portico <@example.org>",
                                 "mail.from = a b@example.org",
                                 "mail.from = a@b@c",
                                 "mail.senders = example.org",
                                 "mail.senders = @example.org, Name <a@example.org>",
                                 "mail.senders = @",
                                 "outbound.certificateAuthorities = /nowhere",
                                 "mail.certificateAuthorities = ca.pem",
                                 "mail.directory = /dev/null",
                                 "mail.directory = /dev/null/mail"})
        {
            const std::string text(line);
            const auto diagnostics = crossed("#\n" + text + "\n");
            equal(1, diagnostics.size(), text);
            equal(text.substr(0, text.find(' ')), diagnostics.front().key, text);
            equal(2, diagnostics.front().source.line, text);
            CPPUNIT_ASSERT_MESSAGE(text,
                                   diagnostics.front().severity == Diagnostic::Severity::Error && diagnostics.front().serviceId.empty());
        }
    }

    TEST(rightAddressesAreNoMistake)
    {
        for (const char* line :
             {"server.bind = 0.0.0.0, ::", "server.bind = [::1]", "server.bind = fe80::1%eth0", "server.bind = host-1.example.org",
              "server.trustedProxies = unix, 10.0.0.1/8, ::1, fd00::/8", "outbound.allowedNetworks = 10.1.0.0/16, 10.2.3.4, fd00::/8",
              "outbound.allowedAddresses = 127.0.0.1:8087, [::1]:8087", "metrics.listen =", "metrics.listen = [::1]:9464",
              "metrics.listen = localhost:9464", "metrics.listen = unix:/run/m.sock", "mail.from = noreply@example.org",
              "mail.from = A, B & C <noreply@example.org>", "mail.senders = billing@example.org, @rooms.example", "mail.directory = mail",
              "mail.directory = /tmp/made/when/needed"})
            CPPUNIT_ASSERT_MESSAGE(line, crossed(std::string(line) + "\n").empty());
    }

    TEST(serviceWithTheHostOfAnotherIsThatServicesMistake)
    {
        const auto diagnostics =
            crossed("services.crm.origins = https://a.example, https://b.example\nservices.notes.origins = https://B.example\n");
        equal(1, diagnostics.size());
        equal("services.notes.origins", diagnostics.front().key);
        equal("notes", diagnostics.front().serviceId);
        equal("'https://B.example', which crm has", diagnostics.front().found);
        CHECK(crossed("services.crm.origins = https://a.example\nservices.notes.origins = https://a.example:8443\n").empty());
        CHECK(crossed("services.crm.origins = https://a.example, https://a.example\n").empty());
    }

    TEST(mailUserWithoutPasswordIsAWarning)
    {
        const auto diagnostics = crossed("mail.server = smtp.example.org\nmail.user = portico\n");
        equal(1, diagnostics.size());
        CHECK(diagnostics.front().severity == Diagnostic::Severity::Warning);
        CHECK(diagnostics.front().text().find("mail.passwordFile") != std::string::npos);
        CHECK(crossed("mail.user = portico\n").empty());
        CHECK(crossed("mail.server = smtp.example.org\nmail.user = portico\nmail.passwordFile = /etc/p\n").empty());
    }

    TEST(keySetTwiceInOneFileIsAMistake)
    {
        const auto diagnostics = checkFile(_directory.write("p.properties", "server.port = 80\n#\nserver.port = 81\n"));
        equal(1, diagnostics.size());
        equal(3, diagnostics.front().source.line);
        CHECK(diagnostics.front().found.find("line 1") != std::string::npos);
    }

    TEST(mistakeOfAServiceIsThatServices)
    {
        const auto diagnostics =
            checkFile(_directory.write("p.properties", "crm.attachments.maxBytes = many\ncrm.attachment.maxBytes = 1\n"), crmCatalog());
        equal(2, diagnostics.size());
        equal("crm", diagnostics[0].serviceId);
        equal("crm", diagnostics[1].serviceId);
        equal("Did you mean crm.attachments.maxBytes?", diagnostics[1].remedy);
    }

    TEST(unknownVariableIsAWarningOnly)
    {
        const LayerSources sources{{}, {}, {{"SERVICE_HOST", "10.0.0.1"}}, {}};
        const auto diagnostics = check({}, readLayers({}, sources));
        equal(1, diagnostics.size());
        CHECK(diagnostics.front().severity == Diagnostic::Severity::Warning);
        equal("PORTICO_SERVICE_HOST", diagnostics.front().key);
    }

    TEST(environmentReachesPatternsAndDeclaredKeys)
    {
        const auto catalog = crmCatalog();
        equal("services.crm.enabled", catalog.fromEnvironment("SERVICES_CRM_ENABLED"));
        equal("services.my-shop.port", catalog.fromEnvironment("SERVICES_MY_SHOP_PORT"));
        equal("crm.attachments.maxBytes", catalog.fromEnvironment("CRM_ATTACHMENTS_MAXBYTES"));
        equal("http.headBytes", catalog.fromEnvironment("HTTP_HEADBYTES"));
        equal("", catalog.fromEnvironment("NONSENSE"));
    }

    TEST(lineThatIsNoSettingIsReported)
    {
        const auto diagnostics = checkFile(_directory.write("p.properties", "server.port = 80\nserver port 80\n= 3\n"));
        equal(2, diagnostics.size());
        equal(2, diagnostics[0].source.line);
        equal("'server port 80'", diagnostics[0].found);
        equal(3, diagnostics[1].source.line);
        const auto overridden = check({}, readLayers({}, {{}, {}, {}, {"server.port"}}));
        equal(1, overridden.size());
        equal("command line", overridden.front().source.text());
    }

    TEST(continuedLineKeepsItsFirstNumber)
    {
        const auto properties = parseProperties("a = 1, \\\r\n  2\nb = 3", "x");
        equal(2, properties.entries.size());
        equal("1,   2", properties.entries[0].value);
        equal(1, properties.entries[0].source.line);
        equal(3, properties.entries[1].source.line);
    }

    TEST(secretThatEverybodyMayReadIsAWarning)
    {
        const auto secret = _directory.write("secret", "phrase\n");
        const auto file = _directory.write("p.properties", "database.passwordFile = " + secret.string() + "\n");
        std::filesystem::permissions(secret, std::filesystem::perms(0644));
        const auto diagnostics = checkFile(file);
        equal(1, diagnostics.size());
        CHECK(diagnostics[0].severity == Diagnostic::Severity::Warning);
        equal(file.string() + ":1: database.passwordFile: expected a file for its owner, or its group, alone, found '" + secret.string() +
                  "', which everybody may use. chmod o-rwx it, and change the secret if others use "
                  "this machine.",
              diagnostics[0].text());
        std::filesystem::permissions(secret, std::filesystem::perms(0640));
        CHECK(checkFile(file).empty());
    }

    TEST(unreadableSecretIsFoundByTheCheck)
    {
        const auto empty = _directory.write("empty", "");
        std::filesystem::permissions(empty, std::filesystem::perms(0600));
        const auto folder = _directory.path() / "folder";
        std::filesystem::create_directory(folder);
        std::filesystem::permissions(folder, std::filesystem::perms(0700));
        for (const auto& wrong : {std::filesystem::path("/nowhere/at/all"), empty, folder})
        {
            const auto diagnostics = checkFile(_directory.write("p.properties", "http.cursorKeyFile = " + wrong.string() + "\n"));
            equal(1, diagnostics.size(), wrong.string());
            equal("a file with a secret that the daemon can read", diagnostics.front().expected);
        }
    }

    TEST(secretIsReadWithoutItsLineEnd)
    {
        const auto secret = _directory.write("secret", "s3cret phrase\n");
        const Configuration configuration({}, {{"database.passwordFile", secret.string(), {}}});
        equal("s3cret phrase", configuration.secret("database.passwordFile"));
        equal("", Configuration({}, {}).secret("database.passwordFile"));
        CPPUNIT_ASSERT_THROW(Configuration({}, {{"database.passwordFile", "/nowhere", {}}}).secret("database.passwordFile"),
                             std::runtime_error);
    }

    TEST(bytesTakeUnitsAndRefuseOverflow)
    {
        equal(std::int64_t{25} * 1024 * 1024, parseBytes("25M").value());
        equal(7, parseBytes("7").value());
        for (const char* wrong : {"", "K", "-1", "1.5M", "9223372036854775807K", "10 M", "0x10"})
            CPPUNIT_ASSERT_MESSAGE(wrong, !parseBytes(wrong));
    }

    TEST(originsTakeNoPath)
    {
        CHECK(fault(Kind::Origin, 0, unbounded, {}, "https://crm.example.org, http://localhost:8080").empty());
        for (const char* wrong : {"crm.example.org", "https://", "https://crm.example.org/", "ftp://x", "https://a b"})
            CPPUNIT_ASSERT_MESSAGE(wrong, !fault(Kind::Origin, 0, unbounded, {}, wrong).empty());
    }

    TEST(everyDefaultIsValid)
    {
        int count = 0;
        for (const auto& group : settingGroups())
            for (const auto& setting : group.settings)
            {
                const std::string key(setting.key);
                equal("", fault(setting.kind, setting.minimum, setting.maximum, setting.choices, setting.defaultValue), key);
                CPPUNIT_ASSERT_MESSAGE(key, setting.description.ends_with('.'));
                ++count;
            }
        CHECK(count >= 50);
    }

    TEST(shippedFileIsTheReference)
    {
        equal(referenceProperties(), content(PORTICO_SOURCE "/etc/portico.properties"),
              "porticod --print-settings=properties > etc/portico.properties");
    }

    TEST(shippedManualHasTheReference)
    {
        CPPUNIT_ASSERT_MESSAGE("packaging/man/portico.properties.5 takes its settings from porticod --print-settings=manual",
                               content(PORTICO_SOURCE "/packaging/man/portico.properties.5").find(referenceManual()) != std::string::npos);
    }

    TEST(shippedFileHasNoMistake) { CHECK(checkFile(PORTICO_SOURCE "/etc/portico.properties").empty()); }

    static std::vector<Diagnostic> checkFile(const std::filesystem::path& file, const Catalog& catalog = {})
    {
        return check(catalog, readLayers(catalog, {{file}, {}, {}, {}}));
    }

    std::vector<Diagnostic> crossed(const std::string& text) const
    {
        const auto file = _directory.write("p.properties", text);
        return crossCheck(Configuration({}, readLayers({}, {{file}, {}, {}, {}}).entries));
    }

    TemporaryDirectory _directory;
};

} // namespace portico::test
