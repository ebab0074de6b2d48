#include "plugins/Workbench.h"
#include "support/Suite.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>

using namespace portico;
using portico::tests::TemporaryFolder;
using portico::tests::textOf;
using portico::tests::Workbench;

namespace fs = std::filesystem;

namespace
{

using portico::testing::equal;
using portico::testing::Suite;

struct Run
{
    int status = 0;
    std::string output;
};

Run run(const std::string& command)
{
    Run result;
    FILE* pipe = popen((command + " 2>&1").c_str(), "r");
    CHECK(pipe);
    char buffer[4096];
    while (const auto size = fread(buffer, 1, sizeof buffer, pipe)) result.output.append(buffer, size);
    const auto ended = pclose(pipe);
    result.status = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
    return result;
}

/// Output of the gate for a fixture. It works on a copy, because it removes files that it rejects.
Run gate(const std::string& situation)
{
    TemporaryFolder folder;
    const auto copy = folder.path() / "plugin.so";
    fs::copy_file(fs::path(FIXTURES) / situation / (situation + ".so"), copy);
    auto result = run(std::string(CMAKE_PROGRAM) + " -DPLUGIN=" + copy.string() +
                      " -DREADELF=" READELF_PROGRAM " -P " SOURCE_TREE "/sdk/cmake/PorticoCheckPlugin.cmake");
    equal(result.status == 0, fs::exists(copy));
    return result;
}

void expectRefusal(const std::string& situation, std::string_view part)
{
    const auto result = gate(situation);
    CHECK(result.status != 0);
    // CMake breaks lines where it likes.
    std::string flat;
    for (const char c : result.output)
        if (c != '\n' && c != ' ') flat += c;
    CPPUNIT_ASSERT_MESSAGE(result.output, flat.find(part) != std::string::npos);
}
} // namespace

/// The gate after linking, and a plugin that is built against an installed SDK.
class BuildTest : public Suite<BuildTest>
{
    TEST(gatePassesWhatIsRight)
    {
        const auto result = gate("ok-v1");
        equal(0, result.status, result.output);
    }

    TEST(gateRefusesUniqueSymbols)
    {
        expectRefusal("unique-symbol", "symbolfixture_uniqueisSTB_GNU_UNIQUE");
        expectRefusal("unique-symbol", "expectedexactlyoneexportedsymbol,portico_plugin");
    }

    TEST(gateRefusesThreadLocals) { expectRefusal("thread-local", "athread_localhasadestructor"); }

    TEST(pluginOutsideTheTreeLoadsAndServes)
    {
        Workbench bench;
        const auto prefix = bench.folder.path() / "prefix";
        const auto build = bench.folder.path() / "build";
        const std::string cmake = CMAKE_PROGRAM;
        for (const auto* component : {"libportico", "sdk"})
        {
            const auto installed = run(cmake + " --install " BUILD_TREE " --prefix " + prefix.string() + " --component " + component);
            equal(0, installed.status, installed.output);
        }
        const auto configured =
            run(cmake + " -S " SOURCE_TREE "/tests/plugins/fixtures/outside -B " + build.string() +
                " -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_COMPILER=" CXX_PROGRAM " -DCMAKE_PREFIX_PATH=" + prefix.string());
        equal(0, configured.status, configured.output);
        const auto built = run(cmake + " --build " + build.string());
        equal(0, built.status, built.output);
        const auto packed = run(cmake + " --install " + build.string() + " --prefix " + prefix.string());
        equal(0, packed.status, packed.output);

        bench.settings.pluginDirectories = {build / "lib" / "portico" / "plugins"};
        CHECK(fs::exists(prefix / "lib" / "portico" / "plugins" / "outside" / "outside.so"));
        CHECK(fs::exists(prefix / "lib" / "portico" / "plugins" / "outside" / "migrations" / "0001_greetings.sql"));
        bench.begin();
        const auto result = bench.startAll();
        CPPUNIT_ASSERT_MESSAGE(textOf(result), result.succeeded);
        equal(R"({"text":"from outside"})", bench.answer("outside"));
    }
};
