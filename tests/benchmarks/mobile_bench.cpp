// The mobile library with a catalog of 500 apps: `mobile_bench`. Milliseconds from the cache and from the network, requests for each
// launch. The server and the files of the phone are in memory; proofs are signed by OpenSSL.

#include "mobile/FakePhone.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace
{

using namespace portico::tests;

constexpr int apps = 500;
constexpr int rounds = 501;

/// An app with the fields and the length of texts that the launchpad sends.
std::string appOf(int number)
{
    const auto id = "app-" + std::to_string(number);
    return R"({"service_id":")" + id + R"(","name":"Application )" + std::to_string(number) +
           R"(","description":"Plans the work of a team, with boards, calendars and reports for every project.",)"
           R"("surface_kind":"application","surface_group":"business","categories":["sales","planning"],"icon":")" +
           std::string(300, 'i') + R"(","installed":true,"launchable":true,"locked":false,"pinned":false,"contexts":["organization"],)" +
           R"("launch":{"url":"https://)" + id + R"(.example/","ios":{"bundleId":"org.example.)" + id +
           R"("},"android":{"packageName":"org.example.)" + std::to_string(number) + R"("}}})";
}

std::string catalog()
{
    std::string items;
    for (int number = 0; number < apps; ++number) (items += number ? "," : "") += appOf(number);
    return R"({"items":[)" + items + R"(],"nextCursor":null})";
}

void require(bool holds, const char* what)
{
    if (holds) return;
    std::fprintf(stderr, "mobile_bench: %s\n", what);
    std::exit(1);
}

template <class Work>
double median(Work&& work)
{
    std::vector<double> times;
    for (int round = 0; round < rounds; ++round)
    {
        const auto begin = std::chrono::steady_clock::now();
        work();
        times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
    std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
    return times[rounds / 2];
}

void readCatalog(const FakePhone& phone, pm_source source)
{
    pm_document document{sizeof(pm_document), nullptr, 0, 0, 0};
    require(pm_catalog(phone.client, source, &document) == PM_OK, "no catalog");
    pm_string_free(document.json);
}

void launch(const FakePhone& phone)
{
    pm_launch_result result{sizeof(pm_launch_result), PM_LAUNCH_WEB, nullptr};
    require(pm_launch(phone.client, "crm", PM_IOS, nullptr, &result) == PM_OK, "no launch");
    pm_string_free(result.url);
}

} // namespace

int main()
{
    FakeServer server;
    KeychainGroup group;
    const auto body = catalog();
    server.instead["/api/catalog"] = {200, body, {{"ETag", "\"c1\""}}};
    FakePhone phone(server, group);
    require(phone.signIn() == PM_OK, "no sign-in");
    std::printf("a catalog of %d apps, %.0f KiB\n", apps, static_cast<double>(body.size()) / 1024);
    std::printf("  from the network             %8.2f ms\n", median([&] { readCatalog(phone, PM_NETWORK); }));
    std::printf("  from the cache (goal 5 ms)   %8.2f ms\n", median([&] { readCatalog(phone, PM_CACHE_ONLY); }));
    const auto before = server.seen.size();
    std::printf("  a launch                     %8.2f ms", median([&] { launch(phone); }));
    std::printf(", %.2f requests (goal 1)\n", static_cast<double>(server.seen.size() - before) / rounds);
    require(server.faults.empty(), "a proof is wrong");
    return 0;
}
