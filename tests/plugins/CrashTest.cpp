#include "plugins/Workbench.h"
#include "support/Suite.h"

#include "host/plugins/quarantine/CrashHandler.h"
#include "host/plugins/quarantine/Quarantine.h"
#include "host/plugins/runtime/PluginScope.h"
#include "host/telemetry/Tracer.h"

#include "portico/system/HostRequest.h"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <iterator>
#include <link.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace portico;
using namespace portico::host::plugins;
using portico::tests::TemporaryFolder;

namespace
{

using portico::testing::equal;
using portico::testing::Suite;

PluginTag tagOf(const char* service)
{
    PluginTag tag;
    tag.setServiceId(service);
    tag.setSha256(std::string(64, 'a'));
    tag.generation = 7;
    return tag;
}

template <class Work>
auto onAnotherThread(Work work)
{
    decltype(work()) result{};
    std::thread([&] { result = work(); }).join();
    return result;
}

[[gnu::noinline]] int runOver(int depth)
{
    volatile char room[4096] = {};
    room[0] = static_cast<char>(depth);
    return depth == 0 ? 0 : runOver(depth - 1) + room[0];
}

void throwNumber() { throw 1; }

void throwOut() noexcept { throwNumber(); }

void touchNothing()
{
    // Not null: that would be a sanitizer's find, and no signal.
    volatile std::uintptr_t nowhere = 16;
    *reinterpret_cast<volatile int*>(nowhere) = 1;
}

} // namespace

/// A crash inside a plugin is put down to it, and only such a crash.
class CrashTest : public Suite<CrashTest>
{
    TEST(scopesNest)
    {
        CHECK(PluginScope::current().phase == PluginTag::Phase::None);
        {
            const auto crm = tagOf("crm"), identity = tagOf("identity");
            const PluginScope outer(crm);
            {
                const PluginScope inner(identity, PluginTag::Phase::Stopping);
                equal("identity", std::string(PluginScope::current().serviceId.data()));
                CHECK(PluginScope::current().phase == PluginTag::Phase::Stopping);
            }
            equal("crm", std::string(PluginScope::current().serviceId.data()));
            CHECK(onAnotherThread([] { return PluginScope::current().phase; }) == PluginTag::Phase::None);
        }
        CHECK(PluginScope::current().phase == PluginTag::Phase::None);
    }

    TEST(scopeEndsWhereItBegan)
    {
        const auto seen = onAnotherThread(
            []
            {
                auto scope = std::make_unique<PluginScope>(tagOf("crm"));
                return onAnotherThread(
                    [&]
                    {
                        const PluginScope own(tagOf("identity"));
                        scope.reset();
                        return std::string(PluginScope::current().serviceId.data());
                    });
            });
        equal("identity", seen);
    }

    /// Runs the work in a separate process with a crash handler. Returns the reports of that process, which must not survive.
    std::vector<Crash> crashesOf(const std::function<void()>& work) const
    {
        CrashReports(_folder.path());
        std::filesystem::remove(CrashReports::file(_folder.path()));
        const auto child = ::fork();
        if (child == 0)
        {
            const rlimit noCore{0, 0};
            ::setrlimit(RLIMIT_CORE, &noCore);
            ::close(STDERR_FILENO);
            const CrashHandler handler(CrashReports::file(_folder.path()));
            work();
            ::_exit(0);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        CPPUNIT_ASSERT_MESSAGE("it survived", status != 0);
        return CrashReports(_folder.path()).all();
    }

    TEST(everyKindOfCrashIsReported)
    {
        const std::pair<std::function<void()>, int> kinds[] = {
            {touchNothing, SIGSEGV},
            {[] { std::abort(); }, SIGABRT},
            {[] { ::raise(SIGFPE); }, SIGFPE},
            {[] { ::raise(SIGILL); }, SIGILL},
            {[] { throwOut(); }, SIGABRT},
#ifndef PORTICO_SANITIZE
            // Its own stack has overflowed, so the handler uses another.
            {[] { runOver(1'000'000'000); }, SIGSEGV},
#endif
        };
        for (const auto& [crash, signal] : kinds)
        {
            const auto found = crashesOf(
                [&crash = crash]
                {
                    std::thread(
                        [&]
                        {
                            const PluginScope scope(tagOf("crm"));
                            crash();
                        })
                        .join();
                });
            equal(1, found.size());
            equal("crm", found[0].serviceId);
            equal(std::string(64, 'a'), found[0].sha256);
            equal(7, found[0].generation);
            equal(signal, found[0].signal);
            CHECK(found[0].serving);
            CHECK(found[0].run <= found[0].at);
        }
    }

    TEST(crashOutsideOfPluginsIsReportedWithoutOne)
    {
        const std::function<void()> outside[] = {touchNothing, []
                                                 {
                                                     {
                                                         const PluginScope scope(tagOf("crm"));
                                                     }
                                                     touchNothing();
                                                 }};
        for (const auto& work : outside)
        {
            const auto found = crashesOf(work);
            equal(1, found.size());
            CHECK(found[0].serviceId.empty() && found[0].sha256.empty() && !found[0].serving);
            equal(SIGSEGV, found[0].signal);
            CPPUNIT_ASSERT_MESSAGE(found[0].details, found[0].details.starts_with("address 0x10, thread "));
        }
    }

    /// Addresses of this program's code, used as the plugin's.
    static AddressRange ownCode()
    {
        AddressRange range;
        const auto look = [](dl_phdr_info* info, std::size_t, void* data)
        {
            auto& found = *static_cast<AddressRange*>(data);
            found.begin = info->dlpi_addr;
            for (int i = 0; i < info->dlpi_phnum; ++i)
                if (const auto& part = info->dlpi_phdr[i]; part.p_type == PT_LOAD)
                    found.end = std::max<std::uintptr_t>(found.end, info->dlpi_addr + part.p_vaddr + part.p_memsz);
            return 1; // the first is the program
        };
        dl_iterate_phdr(look, &range);
        return range;
    }

    TEST(sceneIsReported)
    {
        // abort() happens in the C library, which the plugin called.
        for (const auto& crash : {std::function<void()>(touchNothing), std::function<void()>([] { std::abort(); })})
        {
            const auto found = crashesOf(
                [&]
                {
                    system::HostRequest request;
                    request.setRoute("GET /api/contacts/{id}");
                    request.requestId = "01jd\ninvented";
                    const portico::host::telemetry::ActiveSpan noTrace;
                    const portico::host::telemetry::RequestContext context(request, noTrace);
                    const PluginScope scope(tagOf("crm"));
                    MappedImages::noteMapped(PluginScope::current(), ownCode());
                    crash();
                });
            equal(1, found.size());
            const auto& told = found[0].details;
            CPPUNIT_ASSERT_MESSAGE(told, told.find(", at crm.so+0x") != std::string::npos);
            // Behind it, what other tests of this process have unmapped.
            CPPUNIT_ASSERT_MESSAGE(told, told.find(", route GET /api/contacts/{id}, request 01jd_invented") != std::string::npos);
        }
    }

    TEST(recentlyUnmappedCodeIsReported)
    {
        const auto found = crashesOf(
            []
            {
                const auto code = ownCode();
                const auto slot = MappedImages::noteMapped(tagOf("crm"), code);
                MappedImages::noteUnmapped(slot, 1);
                for (const char* service : {"a", "b", "c", "d", "e"})
                    // After whatever other tests of this process have unmapped.
                    MappedImages::noteUnmapped(MappedImages::noteMapped(tagOf(service), {1, 2}),
                                               (std::time(nullptr) + 60) * 1000 + service[0]);
                touchNothing();
            });
        const auto& told = found.at(0).details;
        CPPUNIT_ASSERT_MESSAGE(told, told.find(", at crm.so+0x") != std::string::npos);
        CPPUNIT_ASSERT_MESSAGE(told, told.find("of generation 7, which is unmapped") != std::string::npos);
        CPPUNIT_ASSERT_MESSAGE(told, told.find("; unmapped lately: e 7 (") != std::string::npos);
        CPPUNIT_ASSERT_MESSAGE(told, told.find(" b 7 (") != std::string::npos && told.find(" a 7 (") == std::string::npos);
    }

    TEST(signalOfAnotherProcessIsNoCrash)
    {
        CHECK(crashesOf(
                  []
                  {
                      const PluginScope scope(tagOf("crm"));
                      // A child plays the watchdog.
                      const auto target = ::getpid();
                      if (::fork() == 0)
                      {
                          ::kill(target, SIGABRT);
                          ::_exit(0);
                      }
                      for (;;) ::pause();
                  })
                  .empty());
    }

    TEST(oneHandlerAtATime)
    {
        const CrashHandler first(_folder.path() / "first");
        CPPUNIT_ASSERT_THROW(CrashHandler(_folder.path() / "second"), std::logic_error);
    }

    void write(const std::vector<std::string>& lines)
    {
        CrashReports(_folder.path());
        std::ofstream stream(CrashReports::file(_folder.path()));
        for (const auto& line : lines) stream << line << '\n';
    }
    static std::string line(int minute, int run, const char* service = "crm", char hash = 'a', char phase = 'r')
    {
        const auto at = toMillis(*parseInstant("2026-11-21T09:00:00Z")) + minute * 60'000;
        return std::to_string(at) + ' ' + std::to_string(run) + ' ' + service + ' ' + std::string(64, hash) + " 1 " + phase + " 11";
    }
    std::string why(const char* service = "crm", char hash = 'a') const
    {
        return CrashReports(_folder.path()).whyQuarantined(service, std::string(64, hash));
    }

    TEST(thirdWithinTenMinutesHoldsBack)
    {
        write({line(0, 1), line(5, 2)});
        equal("", why());
        write({line(0, 1), line(5, 2), line(10, 3)});
        equal("it ended the host 3 times within 10 minutes, last by signal 11 at 2026-11-21T09:10:00.000Z", why());
        // Once quarantined, time alone does not help.
        write({line(0, 1), line(5, 2), line(10, 3), line(500, 4)});
        CHECK(!why().empty());
    }

    TEST(harmlessCrashReports)
    {
        write({line(0, 1), line(5, 2), line(11, 3)});
        equal("", why());
        // Three threads of one process.
        write({line(0, 1), line(0, 1), line(0, 1)});
        equal("", why());
        write({line(0, 1), line(1, 2, "identity"), line(2, 3)});
        equal("", why());
        // Another file.
        write({line(0, 1), line(1, 2, "crm", 'b'), line(2, 3)});
        equal("", why());
        // On its way in, and on its way out.
        write({line(0, 1, "crm", 'a', 's'), line(1, 2, "crm", 'a', 'e'), line(2, 3)});
        equal("", why());
    }

    TEST(releasedOnce)
    {
        write({line(0, 1), line(1, 2), line(2, 3), line(0, 1, "identity"), line(1, 2, "identity"), line(2, 3, "identity")});
        CrashReports(_folder.path()).release("crm", *parseInstant("2026-11-21T09:30:00Z"));
        equal("", why());
        CHECK(!why("identity").empty());
        write({line(0, 1), line(1, 2), line(2, 3), line(31, 4), line(32, 5)});
        equal("", why());
        write({line(0, 1), line(1, 2), line(2, 3), line(31, 4), line(32, 5), line(33, 6)});
        CHECK(!why().empty());
    }

    TEST(reportDoesNotGrowForEver)
    {
        std::vector<std::string> lines(5000, line(0, 1));
        lines.insert(lines.end(), {line(1, 2), line(2, 3)});
        write(lines);
        CHECK(!why().empty());
        std::ifstream stream(CrashReports::file(_folder.path()));
        const auto left = std::count(std::istreambuf_iterator<char>(stream), {}, '\n');
        CHECK(left >= 3 && left <= 1000);
    }

    TEST(spoiledReportIsPassedOver)
    {
        write({"", "x", line(0, 1), "1 2 crm", std::string(100'000, 'y'), line(1, 2), line(2, 3) + " and more"});
        equal(3, CrashReports(_folder.path()).all().size());
        CHECK(!why().empty());
    }

    TemporaryFolder _folder;
};
