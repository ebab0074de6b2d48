// Imports a CSV file of contacts, parse and store apart: `import_bench [rows]`. On SQLite with full durability, in a temporary folder.

#include "CrmPlugin.h"
#include "exchange/ImportSource.h"

#include "portico/testing/TestHost.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace
{

using namespace portico;
using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// Rows as an address book has them: names that repeat, an address and a number of one's own, a company, a tag, a street.
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

double parse(const std::string& text, int rows)
{
    const auto begin = Clock::now();
    crm::ImportText file(text);
    const auto plan = crm::planImport(file, {}, {"text/csv", "people.csv"});
    const auto reader = crm::openImport(file, plan);
    crm::ImportedRecord record;
    int read = 0;
    while (reader->next(record)) ++read;
    if (read != rows) throw std::runtime_error("read " + std::to_string(read) + " rows");
    return rows / secondsSince(begin);
}

double import(testing::TestHost& host, const std::string& text, const std::string& query, int rows, const char* counted)
{
    testing::TestRequest request;
    request.method = Method::Post;
    request.target = "/api/contacts/import?async=true&" + query;
    request.body = text;
    request.headers = {{"Content-Type", "text/csv"}};
    request.caller = testing::userOf("org_" + makeUlid(Instant{}), {"crm.contacts:import", "crm.contacts:read"});
    const auto begin = Clock::now();
    const auto answer = host.call(request);
    host.context().jobs().runDue();
    const auto seconds = secondsSince(begin);
    request.method = Method::Get;
    request.target = "/api/contacts/imports";
    request.body.clear();
    const auto report = host.call(request);
    const auto wanted = std::string("\"") + counted + "\":" + std::to_string(rows);
    if (answer.status != 200 || report.body.find(wanted) == std::string::npos) throw std::runtime_error(answer.body + report.body);
    return rows / seconds;
}

} // namespace

int main(int argc, char** argv)
{
    const int rows = argc > 1 ? std::atoi(argv[1]) : 50'000;
    const auto text = makeFile(rows);
    testing::TestSettings settings;
    settings.serviceId = "crm";
    settings.migrations = CRM_MIGRATIONS;
    settings.config = {{"crm.attachments.maxMebibytes", "25"}, {"crm.attachments.perContact", "200"}, {"crm.attachments.quotaMebibytes", "0"},
                       {"crm.contacts.restorableDays", "30"},  {"crm.currency", "EUR"},               {"crm.imports.maxBytes", "104857600"},
                       {"crm.imports.maxRows", "1000000"},     {"crm.phones.countryCode", ""}};
    testing::TestHost host(settings, [](Context& context) { return std::make_unique<crm::CrmPlugin>(context); });
    std::printf("%d rows, %.1f MB\n", rows, static_cast<double>(text.size()) / 1e6);
    std::printf("parse            %8.0f rows/s\n", parse(text, rows));
    std::printf("check (dry run)  %8.0f rows/s\n", import(host, text, "dryRun=true", rows, "created"));
    std::printf("parse and store  %8.0f rows/s\n", import(host, text, "", rows, "created"));
}
