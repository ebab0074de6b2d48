// Measures imports of a CSV file of contacts, parsing and storing separately: `import_bench [rows]`. On SQLite with full durability in a
// temporary folder, and on a separate PostgreSQL. Besides rows per second, it prints rows per second of this process's CPU, which a busy
// machine does not change.

#include "CrmPlugin.h"
#include "imports/ImportFormats.h"
#include "support/Postgres.h"

#include "portico/testing/TestHost.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <stdexcept>
#include <string>

namespace
{

using namespace portico;
using Clock = std::chrono::steady_clock;

/// Time since it was made, by the clock on the wall and of the processor.
class Watch
{
public:
    double wall() const { return std::chrono::duration<double>(Clock::now() - _begin).count(); }
    double processor() const { return processorSeconds() - _processor; }

private:
    static double processorSeconds()
    {
        timespec time{};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
    }

    Clock::time_point _begin = Clock::now();
    double _processor = processorSeconds();
};

void print(const char* what, int rows, const Watch& watch)
{
    std::printf("%-26s %8.0f rows/s  %8.0f rows/s of CPU\n", what, rows / watch.wall(), rows / watch.processor());
    std::fflush(stdout);
}

/// Rows of a typical address book: names that repeat, individual addresses and numbers, a company, a tag, a street.
std::string makeFile(int rows)
{
    constexpr const char* first[] = {"Ada", "Grace", "Zoë", "Søren", "Miloš", "Chidi", "Yuki", "Ana"};
    constexpr const char* last[] = {"Lovelace", "Hopper", "Ångström", "Kierkegaard", "Novák", "Okafor", "Tanaka", "García"};
    std::string text = "First Name,Last Name,Email,Phone,Company,Job Title,Tags,Street,City,Postal Code,Country\n";
    for (int i = 0; i < rows; ++i)
    {
        const auto n = std::to_string(i);
        ((text += first[i % 8]) += ',') += last[i / 8 % 8];
        text += ",person" + n + "@example" + std::to_string(i % 5000) + ".org,+49 170 " + std::to_string(1000000 + i) + ",Company " +
                std::to_string(i % 5000) + ",Engineer,import,Street " + n + ",Berlin," + std::to_string(10000 + i % 90000) + ",DE\n";
    }
    return text;
}

void parse(const std::string& text, int rows)
{
    const Watch watch;
    crm::ImportText file(text);
    const auto plan = crm::planImport(file, {}, {"text/csv", "people.csv"});
    const auto reader = crm::openImport(file, plan);
    crm::ParsedRow record;
    int read = 0;
    while (reader->next(record)) ++read;
    if (read != rows) throw std::runtime_error("read " + std::to_string(read) + " rows");
    print("parse", rows, watch);
}

/// Uses one organization per import, so that each import begins without contacts.
class Imports
{
public:
    Imports(const std::string& databaseUrl, std::string engine)
        : _engine(std::move(engine)),
          _host(settings(databaseUrl), [](PluginContext& context) { return std::make_unique<crm::CrmPlugin>(context); })
    {
        nextOrganization();
    }

    void nextOrganization() { _caller = testing::userOf("org_" + makeUlid(Instant{}), {"crm.contacts:import", "crm.contacts:read"}); }

    void run(const char* what, const std::string& text, const std::string& query, int rows, const char* counted)
    {
        testing::TestRequest request;
        request.method = Method::Post;
        request.target = "/api/contacts/import?async=true&" + query;
        request.body = text;
        request.headers = {{"Content-Type", "text/csv"}};
        request.caller = _caller;
        const Watch watch;
        const auto answer = _host.call(request);
        _host.context().jobs().runDue();
        print((_engine + ": " + what).c_str(), rows, watch);
        request.method = Method::Get;
        request.target = "/api/contacts/imports?limit=1";
        request.body.clear();
        const auto report = _host.call(request);
        const auto wanted = std::string("\"") + counted + "\":" + std::to_string(rows);
        if (answer.status != 200 || report.body.find(wanted) == std::string::npos) throw std::runtime_error(answer.body + report.body);
        _host.context().clock().advance(std::chrono::seconds(1));
    }

private:
    static testing::TestSettings settings(const std::string& databaseUrl)
    {
        testing::TestSettings settings;
        settings.pluginDirectory = CRM_PLUGIN;
        settings.databaseUrl = databaseUrl;
        settings.config = {{"crm.imports.maxBytes", "104857600"}, {"crm.imports.maxRows", "1000000"}};
        return settings;
    }

    std::string _engine;
    testing::TestHost _host;
    Caller _caller;
};

void measure(const std::string& databaseUrl, const char* engine, const std::string& text, int rows)
{
    Imports imports(databaseUrl, engine);
    imports.run("parse and store", text, "", rows, "created");
    imports.run("the same again, skip", text, "", rows, "skipped");
    imports.run("the same again, merge", text, "onDuplicate=merge&tags=more", rows, "updated");
    imports.nextOrganization();
    imports.run("check (dry run)", text, "dryRun=true", rows, "created");
}

} // namespace

int main(int argc, char** argv)
{
    const int rows = argc > 1 ? std::atoi(argv[1]) : 50'000;
    const auto text = makeFile(rows);
    std::printf("%d rows, %.1f MB\n", rows, static_cast<double>(text.size()) / 1e6);
    parse(text, rows);
    measure({}, "sqlite", text, rows);
    measure(tests::PostgresServer::shared().makeDatabase(), "postgresql", text, rows);
}
