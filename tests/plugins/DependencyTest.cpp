#include "host/plugins/lifecycle/DependencyPlan.h"
#include "host/plugins/package/Discovery.h"
#include "host/plugins/package/Version.h"

#include "plugins/Workbench.h"

#include <cppunit/extensions/HelperMacros.h>

#include <fstream>

using namespace portico;
using namespace portico::host::plugins;
using portico::tests::textOf;
using portico::tests::Workbench;

namespace
{
using References = std::vector<InterfaceReference>;

std::shared_ptr<const Manifest> plugin(const std::string& id, References needs, References provides)
{
    auto manifest = std::make_shared<Manifest>();
    manifest->serviceId = id;
    manifest->needs = std::move(needs);
    manifest->provides = std::move(provides);
    return manifest;
}

std::string joined(const std::vector<std::string>& names)
{
    std::string text;
    for (const auto& name : names) text += (text.empty() ? "" : " ") + name;
    return text;
}
} // namespace

/// What requires what, in which order they start, and what is found in the plugin folders.
class DependencyTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(DependencyTest);
    CPPUNIT_TEST(versionRanges);
    CPPUNIT_TEST(providersStartFirst);
    CPPUNIT_TEST(missingProviderIsNamed);
    CPPUNIT_TEST(wrongVersionIsNamed);
    CPPUNIT_TEST(ringIsNamedAndOthersGoOn);
    CPPUNIT_TEST(ringOfOne);
    CPPUNIT_TEST(optionalNeedBreaksTheRing);
    CPPUNIT_TEST(whatItCanDoWithoutStartsFirst);
    CPPUNIT_TEST(otherVersionOfWhatItCanDoWithout);
    CPPUNIT_TEST(twoProvidersOfOneInterface);
    CPPUNIT_TEST(manyProvidersOfOneInterface);
    CPPUNIT_TEST(providerOfTheHostComesFirst);
    CPPUNIT_TEST(stopsInReverseOrder);
    CPPUNIT_TEST(disabledProviderIsAbsentNotFatal);
    CPPUNIT_TEST(secondFolderWithTheSameId);
    CPPUNIT_TEST(folderWithAnotherName);
    CPPUNIT_TEST(missingPluginFolder);
    CPPUNIT_TEST(versionsOfPluginsAreOrdered);
    CPPUNIT_TEST_SUITE_END();

public:
    void versionsOfPluginsAreOrdered()
    {
        const std::vector<std::string> ordered{"0.9.0",
                                               "0.10.0",
                                               "1.0.0-1",
                                               "1.0.0-2",
                                               "1.0.0-10",
                                               "1.0.0-alpha",
                                               "1.0.0-rc.1",
                                               "1.0.0-rc.2",
                                               "1.0.0-rc.10",
                                               "1.0.0-rc.10.a",
                                               "1.0.0",
                                               "1.0.1",
                                               "99999999999999999999.0.0",
                                               "100000000000000000000.0.0"};
        for (std::size_t i = 0; i < ordered.size(); ++i)
            for (std::size_t j = 0; j < ordered.size(); ++j)
            {
                const int order = compareVersions(ordered[i], ordered[j]);
                CPPUNIT_ASSERT_MESSAGE(ordered[i] + " " + ordered[j], i < j ? order < 0 : i == j ? order == 0 : order > 0);
            }
        CPPUNIT_ASSERT_EQUAL(0, compareVersions("1.02.0", "1.2.0"));
    }

    void versionRanges()
    {
        CPPUNIT_ASSERT(satisfies("1.0", "^1") && satisfies("1.7", "^1") && !satisfies("2.0", "^1"));
        CPPUNIT_ASSERT(satisfies("1.2", "^1.2") && satisfies("1.10", "^1.2") && !satisfies("1.1", "^1.2") && !satisfies("2.2", "^1.2"));
        CPPUNIT_ASSERT(satisfies("1.2", "1.2") && !satisfies("1.3", "1.2") && !satisfies("1.2", "1"));
    }

    void providersStartFirst()
    {
        const auto plan = planDependencies({plugin("a", {{"b.x", "^1"}}, {}), plugin("b", {{"c.x", "^1"}}, {{"b.x", "1.0"}}),
                                            plugin("c", {}, {{"c.x", "1.5"}}), plugin("d", {}, {})});
        CPPUNIT_ASSERT_EQUAL(std::string("c b a d"), joined(plan.order));
        CPPUNIT_ASSERT(plan.faults.empty());
    }

    void missingProviderIsNamed()
    {
        const auto plan = planDependencies({plugin("a", {{"b.x", "^1"}}, {}), plugin("d", {{"b.x", "^1", true}}, {})});
        CPPUNIT_ASSERT_EQUAL(std::string("d"), joined(plan.order));
        CPPUNIT_ASSERT_EQUAL(std::string("it requires 'b.x' ^1, which no installed plugin provides: install one"),
                             plan.faults.at("a").at(0));
    }

    void wrongVersionIsNamed()
    {
        const auto plan = planDependencies({plugin("a", {{"b.x", "^2"}}, {}), plugin("b", {}, {{"b.x", "1.3"}})});
        CPPUNIT_ASSERT_EQUAL(std::string("it requires 'b.x' ^2, found 1.3, provided by 'b': upgrade one of the two"),
                             plan.faults.at("a").at(0));
        CPPUNIT_ASSERT_EQUAL(std::string("b"), joined(plan.order));
    }

    void ringIsNamedAndOthersGoOn()
    {
        const auto plan = planDependencies({plugin("a", {{"b.x", "^1"}}, {{"a.x", "1.0"}}), plugin("b", {{"c.x", "^1"}}, {{"b.x", "1.0"}}),
                                            plugin("c", {{"a.x", "^1"}}, {{"c.x", "1.0"}}), plugin("d", {{"a.x", "^1"}}, {})});
        CPPUNIT_ASSERT_EQUAL(std::string("d"), joined(plan.order));
        CPPUNIT_ASSERT_EQUAL(std::size_t(3), plan.faults.size());
        CPPUNIT_ASSERT(plan.faults.at("b").at(0).find("a -> b -> c -> a") != std::string::npos);
    }

    void ringOfOne()
    {
        const auto plan = planDependencies({plugin("a", {{"a.x", "^1"}}, {{"a.x", "1.0"}})});
        CPPUNIT_ASSERT(plan.faults.at("a").at(0).find("a -> a") != std::string::npos);
    }

    void whatItCanDoWithoutStartsFirst()
    {
        const auto plan = planDependencies({plugin("a", {{"b.x", "^1", true}}, {}), plugin("b", {{"c.x", "^1", true}}, {{"b.x", "1.0"}}),
                                            plugin("c", {{"a.x", "^1", true}}, {{"c.x", "1.0"}})});
        CPPUNIT_ASSERT_EQUAL(std::string("c b a"), joined(plan.order));
        CPPUNIT_ASSERT(plan.faults.empty() && plan.warnings.empty());
        // Of a ring of wishes one is not heard.
        const auto ring =
            planDependencies({plugin("a", {{"b.x", "^1", true}}, {{"a.x", "1.0"}}), plugin("b", {{"a.x", "^1", true}}, {{"b.x", "1.0"}})});
        CPPUNIT_ASSERT_EQUAL(std::string("b a"), joined(ring.order));
    }

    void otherVersionOfWhatItCanDoWithout()
    {
        const auto plan = planDependencies({plugin("a", {{"b.x", "^2", true}}, {}), plugin("b", {}, {{"b.x", "1.3"}})});
        CPPUNIT_ASSERT(plan.faults.empty());
        CPPUNIT_ASSERT_EQUAL(std::string("it does without 'b.x' ^2, found 1.3, provided by 'b': upgrade one of the two"),
                             plan.warnings.at("a").at(0));
    }

    void optionalNeedBreaksTheRing()
    {
        const auto plan =
            planDependencies({plugin("a", {{"b.x", "^1", true}}, {{"a.x", "1.0"}}), plugin("b", {{"a.x", "^1"}}, {{"b.x", "1.0"}})});
        CPPUNIT_ASSERT_EQUAL(std::string("a b"), joined(plan.order));
    }

    /// A folder that lies there unsigned, first by its name, says that it provides what a service of the host does.
    void providerOfTheHostComesFirst()
    {
        for (const bool safeMode : {false, true})
        {
            Workbench bench;
            const Workbench::Changes provides{{"plugin.provides", R"([{"interface":"fixture.echo","version":"1.0"}])"}};
            bench.install("provider", "acme", provides);
            bench.install("provider", "own", provides);
            bench.settings.trust.services.isBuiltIn = [](const std::string& id, const auto&) { return id == "own"; };
            bench.settings.trust.safeMode = safeMode;
            bench.begin();
            bench.startAll();
            CPPUNIT_ASSERT(bench.report("own").state == State::Serving);
            CPPUNIT_ASSERT(bench.report("acme").state != State::Serving);
        }
    }

    void twoProvidersOfOneInterface()
    {
        const auto plan = planDependencies({plugin("a", {}, {{"x.y", "1.0"}}), plugin("b", {}, {{"x.y", "1.0"}})});
        CPPUNIT_ASSERT_EQUAL(std::string("a"), joined(plan.order));
        CPPUNIT_ASSERT(plan.faults.at("b").at(0).find("which 'a' provides already") != std::string::npos);
    }

    void manyProvidersOfOneInterface()
    {
        const InterfaceReference many{"x.y", "1.0", false, true};
        const auto plan = planDependencies({plugin("a", {{"x.y", "^1"}}, {}), plugin("b", {}, {many}), plugin("c", {}, {many}),
                                            plugin("d", {}, {{"x.y", "2.0", false, true}})});
        // Who asks starts after each of them; one that fits is enough.
        CPPUNIT_ASSERT_EQUAL(std::string("b c d a"), joined(plan.order));
        CPPUNIT_ASSERT(plan.faults.empty());
        // One that does not say so shares with nobody: of two, the first may.
        const InterfaceReference alone{"x.y", "1.0"};
        CPPUNIT_ASSERT(planDependencies({plugin("a", {}, {alone}), plugin("b", {}, {many})}).faults.contains("b"));
        CPPUNIT_ASSERT(planDependencies({plugin("a", {}, {many}), plugin("b", {}, {alone}), plugin("c", {}, {many})}).order ==
                       std::vector<std::string>({"a", "c"}));
        // A ring of wishes among them is none.
        CPPUNIT_ASSERT(
            planDependencies({plugin("a", {{"x.y", "^1", true}}, {many}), plugin("b", {{"x.y", "^1", true}}, {many})}).faults.empty());
    }

    void stopsInReverseOrder()
    {
        Workbench bench;
        bench.install("provider", "provider", {{"plugin.provides", R"([{"interface":"fixture.echo","version":"1.0"}])"}});
        bench.install("consumer", "consumer", {{"plugin.requires", R"([{"interface":"fixture.echo","version":"^1"}])"}});
        bench.begin();
        bench.startAll();
        bench.lifecycle->stopAll("test").get();
        const auto lines = bench.journal.lines();
        const auto at = [&](const std::string& text) { return std::find(lines.begin(), lines.end(), text); };
        CPPUNIT_ASSERT(at("started fixture=provider") < at("started fixture=consumer"));
        CPPUNIT_ASSERT(at("destroyed fixture=consumer") < at("stopped fixture=provider"));
        CPPUNIT_ASSERT(at("stopped fixture=provider") != lines.end());
    }

    void disabledProviderIsAbsentNotFatal()
    {
        Workbench bench;
        bench.install("provider", "provider", {{"plugin.provides", R"([{"interface":"fixture.echo","version":"1.0"}])"}});
        bench.install("consumer", "consumer", {{"plugin.requires", R"([{"interface":"fixture.echo","version":"^1"}])"}});
        bench.switches["provider"] = false;
        bench.begin();
        CPPUNIT_ASSERT(bench.startAll().succeeded);
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"text":"nobody"})"), bench.answer("consumer"));
        CPPUNIT_ASSERT(bench.enable("provider").succeeded);
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"text":"echo of hello"})"), bench.answer("consumer"));
        CPPUNIT_ASSERT(bench.disable("provider").succeeded);
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"text":"nobody"})"), bench.answer("consumer"));
    }

    void secondFolderWithTheSameId()
    {
        Workbench bench;
        bench.install("ok-v1", "ok");
        const auto other = bench.folder.path() / "local";
        std::filesystem::create_directories(other);
        std::filesystem::copy(bench.plugins() / "ok", other / "ok");
        bench.settings.pluginDirectories.push_back(other);
        bench.begin();
        const auto result = bench.startAll();
        CPPUNIT_ASSERT(result.succeeded);
        CPPUNIT_ASSERT_MESSAGE(textOf(result),
                               textOf(result).find("found another in " + (bench.plugins() / "ok").string()) != std::string::npos);
        CPPUNIT_ASSERT_EQUAL((bench.plugins() / "ok" / "manifest.json").string(), bench.report("ok").manifestFile);
    }

    void folderWithAnotherName()
    {
        Workbench bench;
        bench.install("ok-v1", "ok");
        std::filesystem::rename(bench.plugins() / "ok", bench.plugins() / "renamed");
        bench.begin();
        CPPUNIT_ASSERT(textOf(bench.startAll()).find(R"(service_id: expected the folder's name "renamed", found "ok")") !=
                       std::string::npos);
        CPPUNIT_ASSERT(bench.report("renamed").state == State::Failed);
    }

    void missingPluginFolder()
    {
        Workbench bench;
        bench.install("ok-v1", "ok");
        bench.settings.pluginDirectories.push_back(bench.folder.path() / "absent");
        bench.begin();
        const auto result = bench.startAll();
        CPPUNIT_ASSERT(result.succeeded && textOf(result).find("absent cannot be read") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(200, bench.publisher.get("ok", "/answer").first);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(DependencyTest);
