#include "host/plugins/lifecycle/DependencyPlan.h"
#include "host/plugins/package/Discovery.h"
#include "host/plugins/package/Version.h"

#include "plugins/Workbench.h"
#include "support/Suite.h"

#include <fstream>

using namespace portico;
using namespace portico::host::plugins;
using portico::tests::textOf;
using portico::tests::Workbench;

namespace
{
using References = std::vector<InterfaceReference>;
using portico::testing::equal;
using portico::testing::Suite;

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

/// Dependencies of plugins, their start order, and the contents of plugin folders.
class DependencyTest : public Suite<DependencyTest>
{
    TEST(versionsOfPluginsAreOrdered)
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
        equal(0, compareVersions("1.02.0", "1.2.0"));
    }

    TEST(versionRanges)
    {
        CHECK(satisfies("1.0", "^1") && satisfies("1.7", "^1") && !satisfies("2.0", "^1"));
        CHECK(satisfies("1.2", "^1.2") && satisfies("1.10", "^1.2") && !satisfies("1.1", "^1.2") && !satisfies("2.2", "^1.2"));
        CHECK(satisfies("1.2", "1.2") && !satisfies("1.3", "1.2") && !satisfies("1.2", "1"));
    }

    TEST(providersStartFirst)
    {
        const auto plan = planDependencies({plugin("a", {{"b.x", "^1"}}, {}), plugin("b", {{"c.x", "^1"}}, {{"b.x", "1.0"}}),
                                            plugin("c", {}, {{"c.x", "1.5"}}), plugin("d", {}, {})});
        equal("c b a d", joined(plan.order));
        CHECK(plan.faults.empty());
    }

    TEST(missingProviderIsNamed)
    {
        const auto plan = planDependencies({plugin("a", {{"b.x", "^1"}}, {}), plugin("d", {{"b.x", "^1", true}}, {})});
        equal("d", joined(plan.order));
        equal("it requires 'b.x' ^1, which no installed plugin provides: install one", plan.faults.at("a").at(0));
    }

    TEST(wrongVersionIsNamed)
    {
        const auto plan = planDependencies({plugin("a", {{"b.x", "^2"}}, {}), plugin("b", {}, {{"b.x", "1.3"}})});
        equal("it requires 'b.x' ^2, found 1.3, provided by 'b': upgrade one of the two", plan.faults.at("a").at(0));
        equal("b", joined(plan.order));
    }

    TEST(ringIsNamedAndOthersGoOn)
    {
        const auto plan = planDependencies({plugin("a", {{"b.x", "^1"}}, {{"a.x", "1.0"}}), plugin("b", {{"c.x", "^1"}}, {{"b.x", "1.0"}}),
                                            plugin("c", {{"a.x", "^1"}}, {{"c.x", "1.0"}}), plugin("d", {{"a.x", "^1"}}, {})});
        equal("d", joined(plan.order));
        equal(3, plan.faults.size());
        CHECK(plan.faults.at("b").at(0).find("a -> b -> c -> a") != std::string::npos);
    }

    TEST(ringOfOne)
    {
        const auto plan = planDependencies({plugin("a", {{"a.x", "^1"}}, {{"a.x", "1.0"}})});
        CHECK(plan.faults.at("a").at(0).find("a -> a") != std::string::npos);
    }

    TEST(optionalDependencyStartsFirst)
    {
        const auto plan = planDependencies({plugin("a", {{"b.x", "^1", true}}, {}), plugin("b", {{"c.x", "^1", true}}, {{"b.x", "1.0"}}),
                                            plugin("c", {{"a.x", "^1", true}}, {{"c.x", "1.0"}})});
        equal("c b a", joined(plan.order));
        CHECK(plan.faults.empty() && plan.warnings.empty());
        // One optional dependency of a cycle is ignored.
        const auto ring =
            planDependencies({plugin("a", {{"b.x", "^1", true}}, {{"a.x", "1.0"}}), plugin("b", {{"a.x", "^1", true}}, {{"b.x", "1.0"}})});
        equal("b a", joined(ring.order));
    }

    TEST(otherVersionOfWhatItCanDoWithout)
    {
        const auto plan = planDependencies({plugin("a", {{"b.x", "^2", true}}, {}), plugin("b", {}, {{"b.x", "1.3"}})});
        CHECK(plan.faults.empty());
        equal("it does without 'b.x' ^2, found 1.3, provided by 'b': upgrade one of the two", plan.warnings.at("a").at(0));
    }

    TEST(optionalNeedBreaksTheRing)
    {
        const auto plan =
            planDependencies({plugin("a", {{"b.x", "^1", true}}, {{"a.x", "1.0"}}), plugin("b", {{"a.x", "^1"}}, {{"b.x", "1.0"}})});
        equal("a b", joined(plan.order));
    }

    /// An unsigned folder, first by its name, claims to provide an interface of a host's service.
    TEST(providerOfTheHostComesFirst)
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
            CHECK(bench.report("own").state == State::Serving);
            CHECK(bench.report("acme").state != State::Serving);
        }
    }

    TEST(twoProvidersOfOneInterface)
    {
        const auto plan = planDependencies({plugin("a", {}, {{"x.y", "1.0"}}), plugin("b", {}, {{"x.y", "1.0"}})});
        equal("a", joined(plan.order));
        CHECK(plan.faults.at("b").at(0).find("which 'a' provides already") != std::string::npos);
    }

    TEST(manyProvidersOfOneInterface)
    {
        const InterfaceReference many{"x.y", "1.0", false, true};
        const auto plan = planDependencies({plugin("a", {{"x.y", "^1"}}, {}), plugin("b", {}, {many}), plugin("c", {}, {many}),
                                            plugin("d", {}, {{"x.y", "2.0", false, true}})});
        // The consumer starts after each provider; one that fits is enough.
        equal("b c d a", joined(plan.order));
        CHECK(plan.faults.empty());
        // A provider without `many` excludes others: of two, the first is used.
        const InterfaceReference alone{"x.y", "1.0"};
        CHECK(planDependencies({plugin("a", {}, {alone}), plugin("b", {}, {many})}).faults.contains("b"));
        CHECK(planDependencies({plugin("a", {}, {many}), plugin("b", {}, {alone}), plugin("c", {}, {many})}).order ==
              std::vector<std::string>({"a", "c"}));
        // A cycle of optional dependencies is no fault.
        CHECK(planDependencies({plugin("a", {{"x.y", "^1", true}}, {many}), plugin("b", {{"x.y", "^1", true}}, {many})}).faults.empty());
    }

    TEST(stopsInReverseOrder)
    {
        Workbench bench;
        bench.install("provider", "provider", {{"plugin.provides", R"([{"interface":"fixture.echo","version":"1.0"}])"}});
        bench.serve("consumer", "consumer", {{"plugin.requires", R"([{"interface":"fixture.echo","version":"^1"}])"}});
        bench.lifecycle->stopAll("test").get();
        const auto lines = bench.journal.lines();
        const auto at = [&](const std::string& text) { return std::find(lines.begin(), lines.end(), text); };
        CHECK(at("started fixture=provider") < at("started fixture=consumer"));
        CHECK(at("destroyed fixture=consumer") < at("stopped fixture=provider"));
        CHECK(at("stopped fixture=provider") != lines.end());
    }

    TEST(disabledProviderIsAbsentNotFatal)
    {
        Workbench bench;
        bench.install("provider", "provider", {{"plugin.provides", R"([{"interface":"fixture.echo","version":"1.0"}])"}});
        bench.install("consumer", "consumer", {{"plugin.requires", R"([{"interface":"fixture.echo","version":"^1"}])"}});
        bench.switches["provider"] = false;
        bench.begin();
        CHECK(bench.startAll().succeeded);
        equal(R"({"text":"nobody"})", bench.answer("consumer"));
        CHECK(bench.enable("provider").succeeded);
        equal(R"({"text":"echo of hello"})", bench.answer("consumer"));
        CHECK(bench.disable("provider").succeeded);
        equal(R"({"text":"nobody"})", bench.answer("consumer"));
    }

    TEST(secondFolderWithTheSameId)
    {
        Workbench bench;
        bench.install("ok-v1", "ok");
        const auto other = bench.folder.path() / "local";
        std::filesystem::create_directories(other);
        std::filesystem::copy(bench.plugins() / "ok", other / "ok");
        bench.settings.pluginDirectories.push_back(other);
        bench.begin();
        const auto result = bench.startAll();
        CHECK(result.succeeded);
        CPPUNIT_ASSERT_MESSAGE(textOf(result),
                               textOf(result).find("found another in " + (bench.plugins() / "ok").string()) != std::string::npos);
        equal((bench.plugins() / "ok" / "manifest.json").string(), bench.report("ok").manifestFile);
    }

    TEST(folderWithAnotherName)
    {
        Workbench bench;
        bench.install("ok-v1", "ok");
        std::filesystem::rename(bench.plugins() / "ok", bench.plugins() / "renamed");
        bench.begin();
        CHECK(textOf(bench.startAll()).find(R"(service_id: expected the folder's name "renamed", found "ok")") != std::string::npos);
        CHECK(bench.report("renamed").state == State::Failed);
    }

    TEST(unreadablePluginFolderIsReported)
    {
        Workbench bench;
        bench.install("ok-v1", "ok");
        std::filesystem::create_symlink("loop", bench.plugins() / "loop");
        std::ofstream(bench.plugins() / "readme.txt") << "no plugin";
        const auto found = discover(ManifestReader(), {bench.plugins()}, {});
        equal(1, found.plugins.size());
        equal(1, found.warnings.size());
        CHECK(found.warnings.front().starts_with((bench.plugins() / "loop/manifest.json").string() + " cannot be read: "));
    }

    TEST(copyOfAPluginIsNotLoaded)
    {
        Workbench bench;
        bench.install("ok-v1", "ok");
        std::filesystem::copy(bench.plugins() / "ok", bench.plugins() / "ok.bak", std::filesystem::copy_options::recursive);
        bench.begin();
        const auto result = bench.startAll();
        CHECK(result.succeeded && textOf(result).find("found 'ok.bak', which is not loaded: rename or remove it") != std::string::npos);
        equal(200, bench.publisher.get("ok", "/answer").first);
    }

    TEST(missingPluginFolder)
    {
        Workbench bench;
        bench.install("ok-v1", "ok");
        bench.settings.pluginDirectories.push_back(bench.folder.path() / "absent");
        bench.begin();
        const auto result = bench.startAll();
        CHECK(result.succeeded && textOf(result).find("absent cannot be read") != std::string::npos);
        equal(200, bench.publisher.get("ok", "/answer").first);
    }
};
