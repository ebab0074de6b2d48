#include "ctl/TemporaryDirectory.h"

#include "host/admin/ControlServer.h"
#include "host/ctl/Command.h"
#include "host/ctl/Password.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <set>
#include <sstream>
#include <sys/stat.h>

namespace portico::test
{

using namespace host::admin;
using namespace host::ctl;

namespace json = boost::json;

class PorticoctlTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(PorticoctlTest);
    CPPUNIT_TEST(everyCommandHasHelpWithExamples);
    CPPUNIT_TEST(wrongUsageIsTwo);
    CPPUNIT_TEST(misspeltCommandNamesTheNearest);
    CPPUNIT_TEST(groupOfCommandsHasHelp);
    CPPUNIT_TEST(absentDaemonIsThree);
    CPPUNIT_TEST(refusalIsOneWithItsSentence);
    CPPUNIT_TEST(refusalAsJson);
    CPPUNIT_TEST(servicesAreATable);
    CPPUNIT_TEST(jsonIsTheAnswerItself);
    CPPUNIT_TEST(failedReloadShowsItsSteps);
    CPPUNIT_TEST(reloadAllTakesNoNames);
    CPPUNIT_TEST(configCheckFailsOnMistakes);
    CPPUNIT_TEST(pendingMigrationFailsTheCheckOnly);
    CPPUNIT_TEST(userCreateSendsTheGivenPassword);
    CPPUNIT_TEST(userCreateMakesAPasswordAndShowsIt);
    CPPUNIT_TEST(userJoinSendsNoPassword);
    CPPUNIT_TEST(readablePasswordFileIsRefused);
    CPPUNIT_TEST(madePasswordsDiffer);
    CPPUNIT_TEST(tableAlignsByCharacters);
    CPPUNIT_TEST(optionsMayStandAnywhere);
    CPPUNIT_TEST(whatPluginsSayIsNotObeyedByTheTerminal);
    CPPUNIT_TEST_SUITE_END();

public:
    void everyCommandHasHelpWithExamples()
    {
        for (const auto& command : commands())
        {
            const std::string name(command.name);
            CPPUNIT_ASSERT_MESSAGE(name, generalHelp().find("  " + name) != std::string::npos);
            CPPUNIT_ASSERT_MESSAGE(name, commandHelp(command).find("porticoctl") != std::string::npos);
            CPPUNIT_ASSERT_MESSAGE(name, command.examples.starts_with("porticoctl "));
            CPPUNIT_ASSERT_MESSAGE(name, command.examples.find(name) != std::string::npos);
        }
        CPPUNIT_ASSERT_EQUAL(exitDone, runWords({"config", "check", "--help"}));
        CPPUNIT_ASSERT(_out.str().starts_with("usage: porticoctl config check"));
    }

    void wrongUsageIsTwo()
    {
        for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{},
                                                                                           {"relaod"},
                                                                                           {"config"},
                                                                                           {"config", "chekc"},
                                                                                           {"reload"},
                                                                                           {"reload", "crm", "--all"},
                                                                                           {"status", "now"},
                                                                                           {"status", "--verbose"},
                                                                                           {"jobs", "list", "--limit", "many"},
                                                                                           {"jobs", "retry"},
                                                                                           {"user", "create"},
                                                                                           {"user", "create", "--email"},
                                                                                           {"--socket"}})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(words.empty() ? "" : words.front(), exitUsage, runWords(words));
        runWords({"config"});
        CPPUNIT_ASSERT(_errors.str().find("'config' needs a subcommand: check, show or reload.") != std::string::npos);
        runWords({"reload"});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(_errors.str(),
                                     std::string("porticoctl: An argument is missing. Usage: porticoctl reload [options] <service>...; "
                                                 "see porticoctl reload --help.\n"),
                                     _errors.str());
    }

    void misspeltCommandNamesTheNearest()
    {
        const auto said = [this](const std::vector<std::string>& words)
        {
            CPPUNIT_ASSERT_EQUAL(exitUsage, runWords(words));
            return _errors.str();
        };
        const std::string rest = " See porticoctl --help.\n";
        CPPUNIT_ASSERT_EQUAL("porticoctl: Unknown command 'servces'. Did you mean services?" + rest, said({"servces"}));
        CPPUNIT_ASSERT_EQUAL("porticoctl: Unknown command 'enabel'. Did you mean enable?" + rest, said({"enabel", "crm"}));
        CPPUNIT_ASSERT_EQUAL("porticoctl: Unknown command 'config chekc'. Did you mean config check?" + rest, said({"config", "chekc"}));
        CPPUNIT_ASSERT_EQUAL("porticoctl: Unknown command 'xyzzyplugh'." + rest, said({"xyzzyplugh"}));
        CPPUNIT_ASSERT_EQUAL("porticoctl: Unknown option --verbose before the command." + rest, said({"--verbose", "status"}));
    }

    void groupOfCommandsHasHelp()
    {
        CPPUNIT_ASSERT_EQUAL(exitDone, runWords({"jobs", "--help"}));
        for (const char* form : {"usage: porticoctl jobs <command>\n", "  jobs list ", "  jobs retry <job> ", "  jobs discard <job> "})
            CPPUNIT_ASSERT_MESSAGE(form, _out.str().find(form) != std::string::npos);
        CPPUNIT_ASSERT(_out.str().find("config") == std::string::npos);
    }

    void absentDaemonIsThree()
    {
        CPPUNIT_ASSERT_EQUAL(exitUnreachable, runWords({"status"}));
        CPPUNIT_ASSERT(_errors.str().find("Is porticod running?") != std::string::npos);
    }

    void refusalIsOneWithItsSentence()
    {
        answerWith("enable", [](const ControlRequest&) -> json::value { throw Refused("unknown_service", "There is no service 'crn'."); });
        CPPUNIT_ASSERT_EQUAL(exitRefused, runWords({"enable", "crn"}));
        CPPUNIT_ASSERT_EQUAL(std::string("porticoctl: There is no service 'crn'.\n"), _errors.str());
        CPPUNIT_ASSERT(_out.str().empty());
    }

    void refusalAsJson()
    {
        answerWith("enable", [](const ControlRequest&) -> json::value { throw Refused("unknown_service", "None.", {{"known", {"crm"}}}); });
        CPPUNIT_ASSERT_EQUAL(exitRefused, runWords({"--json", "enable", "crn"}));
        const auto answer = json::parse(_out.str());
        CPPUNIT_ASSERT(answer.at("error").at("code") == "unknown_service");
        CPPUNIT_ASSERT(answer.at("result").at("known").at(0) == "crm");
    }

    void servicesAreATable()
    {
        answerWith("services",
                   [](const ControlRequest&) -> json::value
                   {
                       return {{"services",
                                {{{"service", "crm"},
                                  {"status", "serving"},
                                  {"version", "1.0.0"},
                                  {"generation", 3},
                                  {"inFlight", 0},
                                  {"origin", "http://crm.localhost:8080"},
                                  {"note", ""}},
                                 {{"service", "identity"}, {"status", "failed"}, {"version", nullptr}, {"note", "start took too long"}}}}};
                   });
        CPPUNIT_ASSERT_EQUAL(exitDone, runWords({"services"}));
        CPPUNIT_ASSERT_EQUAL(
            std::string("SERVICE   STATUS   VERSION  GENERATION  IN FLIGHT  ORIGIN                     NOTE\n"
                        "crm       serving  1.0.0    3           0          http://crm.localhost:8080\n"
                        "identity  failed                                                              start took too long\n"),
            _out.str());
    }

    void jsonIsTheAnswerItself()
    {
        answerWith("status", [](const ControlRequest&) -> json::value { return {{"pid", 7}}; });
        CPPUNIT_ASSERT_EQUAL(exitDone, runWords({"status", "--json"}));
        CPPUNIT_ASSERT_EQUAL(std::string("{\"pid\":7}\n"), _out.str());
    }

    void failedReloadShowsItsSteps()
    {
        answerWith("reload",
                   [](const ControlRequest&) -> json::value
                   {
                       throw Refused("failed", "crm was not reloaded.",
                                     {{"operations",
                                       {{{"command", "reload"},
                                         {"service", "crm"},
                                         {"status", "failed"},
                                         {"microseconds", 12340},
                                         {"messages", {"start: no template"}},
                                         {"steps", {{{"name", "verify"}, {"ok", true}, {"microseconds", 3000}}}}}}}});
                   });
        CPPUNIT_ASSERT_EQUAL(exitRefused, runWords({"reload", "crm"}));
        CPPUNIT_ASSERT(_out.str().find("reload crm: failed in 12.3 ms") != std::string::npos);
        CPPUNIT_ASSERT(_out.str().find("verify") != std::string::npos);
        CPPUNIT_ASSERT(_out.str().find("start: no template") != std::string::npos);
    }

    void reloadAllTakesNoNames()
    {
        json::object seen;
        answerWith("reload",
                   [&seen](const ControlRequest& request) -> json::value
                   {
                       seen = request.arguments;
                       return {{"operations", json::array()}};
                   });
        CPPUNIT_ASSERT_EQUAL(exitDone, runWords({"reload", "--all"}));
        CPPUNIT_ASSERT(seen.at("all").as_bool());
        CPPUNIT_ASSERT(seen.at("services").as_array().empty());
    }

    void configCheckFailsOnMistakes()
    {
        answerWith("config.check",
                   [](const ControlRequest&) -> json::value {
                       return {{"ok", false}, {"files", json::array()}, {"findings", {{{"severity", "error"}, {"text", "a:1: b"}}}}};
                   });
        CPPUNIT_ASSERT_EQUAL(exitRefused, runWords({"config", "check"}));
        CPPUNIT_ASSERT(_out.str().find("error: a:1: b\n") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(exitRefused, runWords({"config", "check", "--json"}));
    }

    void pendingMigrationFailsTheCheckOnly()
    {
        answerWith("migrate",
                   [](const ControlRequest&) -> json::value {
                       return {{"pending", true}, {"migrations", {{{"service", "crm"}, {"name", "0002_x.sql"}, {"status", "pending"}}}}};
                   });
        CPPUNIT_ASSERT_EQUAL(exitRefused, runWords({"migrate", "--check"}));
        CPPUNIT_ASSERT_EQUAL(exitDone, runWords({"migrate"}));
    }

    void userCreateSendsTheGivenPassword()
    {
        const auto seen = captureUser();
        _input.str("correct horse\r\nsecond line\n");
        CPPUNIT_ASSERT_EQUAL(exitDone, runWords({"user", "create", "--email", "anna@acme.example", "--organization", "acme", "--role=owner",
                                                 "--password-stdin"}));
        CPPUNIT_ASSERT(seen->at("password") == "correct horse");
        CPPUNIT_ASSERT(seen->at("displayName") == "anna");
        CPPUNIT_ASSERT(seen->at("organizationName") == "acme");
        CPPUNIT_ASSERT(seen->at("role") == "owner");
        CPPUNIT_ASSERT(seen->at("platformRole") == "");
        CPPUNIT_ASSERT_MESSAGE("a password that was given is not shown", _out.str().find("correct horse") == std::string::npos);
    }

    void userCreateMakesAPasswordAndShowsIt()
    {
        const auto seen = captureUser();
        CPPUNIT_ASSERT_EQUAL(exitDone, runWords({"user", "create", "--email", "op@portico.example", "--operator", "--json"}));
        CPPUNIT_ASSERT(seen->at("platformRole") == "platform_super_admin");
        CPPUNIT_ASSERT(json::parse(_out.str()).at("password") == seen->at("password"));
    }

    void userJoinSendsNoPassword()
    {
        const auto seen = captureUser("user.join");
        CPPUNIT_ASSERT_EQUAL(exitDone,
                             runWords({"user", "join", "--email", "anna@acme.example", "--organization", "acme", "--role=admin"}));
        CPPUNIT_ASSERT(seen->at("role") == "admin" && seen->at("organizationSlug") == "acme");
        CPPUNIT_ASSERT(!seen->contains("password"));
        CPPUNIT_ASSERT(_out.str().find("password") == std::string::npos);
    }

    void readablePasswordFileIsRefused()
    {
        const auto file = _directory.write("pw", "secret\n");
        ::chmod(file.c_str(), 0644);
        CPPUNIT_ASSERT_THROW(readPasswordFile(file.string()), UsageError);
        ::chmod(file.c_str(), 0600);
        CPPUNIT_ASSERT_EQUAL(std::string("secret"), readPasswordFile(file.string()));
        CPPUNIT_ASSERT_THROW(readPasswordFile((_directory.path() / "none").string()), UsageError);
        // It would never end.
        CPPUNIT_ASSERT_THROW(readPasswordFile("/dev/zero"), UsageError);
    }

    void madePasswordsDiffer()
    {
        std::set<std::string> seen;
        for (int i = 0; i < 1000; ++i)
        {
            const auto password = makePassword();
            CPPUNIT_ASSERT_EQUAL(std::size_t{24}, password.size());
            seen.insert(password);
        }
        CPPUNIT_ASSERT_EQUAL(std::size_t{1000}, seen.size());
    }

    void tableAlignsByCharacters()
    {
        Table table({"NAME", "X"});
        table.add({"Zoë", "1"});
        table.add({"Maria", "2"});
        table.add({"Eve", ""});
        table.print(Terminal(_out, false));
        CPPUNIT_ASSERT_EQUAL(std::string("NAME   X\nZoë    1\nMaria  2\nEve\n"), _out.str());
        const Terminal coloured(_out, true);
        CPPUNIT_ASSERT_EQUAL(std::string("\033[32mok\033[0m"), coloured.paint("ok", colourOf("ok")));
    }

    void optionsMayStandAnywhere()
    {
        const std::vector<std::string> words{"a", "--limit=3", "b", "--all", "--", "--c"};
        constexpr Option known[] = {{"limit", "N", ""}, {"all", "", ""}};
        const Arguments arguments(known, words);
        CPPUNIT_ASSERT_EQUAL(std::string("3"), arguments.option("limit").value());
        CPPUNIT_ASSERT(arguments.has("all"));
        CPPUNIT_ASSERT((arguments.words() == std::vector<std::string>{"a", "b", "--c"}));
        const std::vector<std::string> valued{"--all=yes"};
        CPPUNIT_ASSERT_THROW(Arguments(known, valued), UsageError);
    }

    void whatPluginsSayIsNotObeyedByTheTerminal()
    {
        const std::string title = "bad \033]0;owned\007 \r\xC2\x9B"
                                  "2J tab\there";
        const std::string shown = "bad ?]0;owned? ??2J tab\there";
        CPPUNIT_ASSERT_EQUAL(shown + "\nd\xC3\xA9j\xC3\xA0", host::ctl::printable(title + "\nd\xC3\xA9j\xC3\xA0"));
        CPPUNIT_ASSERT_EQUAL(std::string("?\xC2"), host::ctl::printable("\x7F\xC2"));
        std::ostringstream out;
        // A colour is only one where there are any, and nothing but a colour.
        Terminal(out, true).line("\033[32mserving\033[0m \033[2J \033[");
        CPPUNIT_ASSERT_EQUAL(std::string("\033[32mserving\033[0m ?[2J ?[\n"), out.str());
        answerWith("reload", [title](const ControlRequest&) -> json::value { throw Refused("failed", title); });
        CPPUNIT_ASSERT_EQUAL(1, runWords({"reload", "crm"}));
        CPPUNIT_ASSERT_MESSAGE(_errors.str(), _errors.str().find(shown) != std::string::npos);
        // A program gets what was said.
        CPPUNIT_ASSERT_EQUAL(1, runWords({"reload", "crm", "--json"}));
        CPPUNIT_ASSERT(json::parse(_out.str()).at("error").at("message").as_string() == title);
    }

private:
    void answerWith(std::string command, ControlCommands::Handler handler)
    {
        _commands.add(std::move(command), std::move(handler));
        _server = std::make_unique<ControlServer>(_directory.path() / "control.sock", _commands);
    }

    std::shared_ptr<json::object> captureUser(const std::string& command = "user.create")
    {
        auto seen = std::make_shared<json::object>();
        answerWith(command,
                   [seen](const ControlRequest& request) -> json::value
                   {
                       *seen = request.arguments;
                       return {{"userId", "usr_1"}, {"organizationId", "org_1"}};
                   });
        return seen;
    }

    int runWords(std::vector<std::string> words)
    {
        _out.str({});
        _errors.str({});
        words.push_back("--socket=" + (_directory.path() / "control.sock").string());
        if (words.front() == "--socket") words.pop_back();
        return host::ctl::run(std::move(words), _input, Terminal(_out, false), _errors);
    }

    TemporaryDirectory _directory;
    ControlCommands _commands;
    std::unique_ptr<ControlServer> _server;
    std::istringstream _input;
    std::ostringstream _out;
    std::ostringstream _errors;
};

CPPUNIT_TEST_SUITE_REGISTRATION(PorticoctlTest);

} // namespace portico::test
