// Search over many contacts, through the routes of the service, on both engines: `search_bench [contacts] [queries of each kind]
// [sqlite|postgresql|both] [part of a kind's name]`. Prints what a search takes by kind of query, in milliseconds, and how fast contacts
// are written.

#include "CrmBench.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace portico::tests
{

namespace
{

using Clock = std::chrono::steady_clock;

/// A kind of query, made of a contact that is there.
struct Kind
{
    const char* name;
    std::function<std::string(const crm::Contact&, std::mt19937&)> query;
};

std::string characters(const std::string& text, std::size_t from, std::size_t count)
{
    const auto isInside = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
    from = std::min(from, text.size());
    while (from < text.size() && isInside(text[from])) ++from;
    auto end = std::min(from + count, text.size());
    while (end < text.size() && isInside(text[end])) ++end;
    return text.substr(from, end - from);
}

std::vector<Kind> kinds()
{
    const auto q = [](const std::string& text) { return "q=" + encoded(text); };
    return {
        {"last name", [=](const crm::Contact& c, auto&) { return q(c.lastName); }},
        {"first name", [=](const crm::Contact& c, auto&) { return q(c.firstName); }},
        {"first and last name", [=](const crm::Contact& c, auto&) { return q(c.firstName + ' ' + c.lastName); }},
        {"first and start of last",
         [=](const crm::Contact& c, auto& r) { return q(c.firstName + ' ' + characters(c.lastName, 0, 1 + r() % 4)); }},
        {"one letter", [=](const crm::Contact& c, auto&) { return q(characters(c.firstName, 0, 1)); }},
        {"two letters", [=](const crm::Contact& c, auto&) { return q(characters(c.lastName, 0, 2)); }},
        {"three to five letters", [=](const crm::Contact& c, auto& r) { return q(characters(c.lastName, 0, 3 + r() % 3)); }},
        {"inside of a name", [=](const crm::Contact& c, auto& r) { return q(characters(c.lastName, 1 + r() % 3, 3 + r() % 3)); }},
        {"e-mail address", [=](const crm::Contact& c, auto&) { return q(c.emails.front().address); }},
        {"e-mail domain",
         [=](const crm::Contact& c, auto&) { return q(c.emails.front().address.substr(c.emails.front().address.find('@'))); }},
        {"phone number", [=](const crm::Contact& c, auto&) { return q(c.phones.front().number); }},
        {"end of a phone number",
         [=](const crm::Contact& c, auto& r) { return q(c.phones.front().number.substr(c.phones.front().number.size() - 4 - r() % 3)); }},
        {"company", [=](const crm::Contact& c, auto&) { return q(c.companyName.empty() ? "GmbH" : c.companyName); }},
        {"name and company", [=](const crm::Contact& c, auto&) { return q(c.lastName + ' ' + characters(c.companyName, 0, 4)); }},
        {"\"an\"", [=](const crm::Contact&, auto&) { return q("an"); }},
        {"\"example\"", [=](const crm::Contact&, auto&) { return q("example"); }},
        {"\"xample\"", [=](const crm::Contact&, auto&) { return q("xample"); }},
        {"\"mann\" \"er\"", [=](const crm::Contact&, auto&) { return q("mann er"); }},
        {"nothing", [=](const crm::Contact&, auto& r) { return q("zzq" + std::to_string(r() % 1000)); }},
        {"last name with a tag", [=](const crm::Contact& c, auto&) { return q(c.lastName) + "&tag=" + c.tags.front(); }},
        {"last name, by name", [=](const crm::Contact& c, auto&) { return q(c.lastName) + "&sort=displayName"; }},
        {"three letters, by update", [=](const crm::Contact& c, auto&) { return q(characters(c.lastName, 0, 3)) + "&sort=-updatedAt"; }},
    };
}

std::vector<BenchTime> measure(CrmBench& bench, const Kind& kind, int queries)
{
    std::vector<BenchTime> times;
    for (int i = 0; i < queries; ++i)
    {
        const auto& sample = bench.samples()[bench.world().random()() % bench.samples().size()];
        times.push_back(bench.get("/api/contacts?limit=25&" + kind.query(sample, bench.world().random())));
    }
    return times;
}

/// Contacts that are made and changed one by one: a second.
void printWrites(CrmBench& bench)
{
    constexpr int count = 1000;
    std::vector<std::string> ids;
    const auto start = Clock::now();
    for (int i = 0; i < count; ++i)
    {
        const auto contact = bench.world().contact(i);
        const auto body = R"({"firstName":")" + contact.firstName + R"(","lastName":")" + contact.lastName + R"(","companyName":")" +
                          contact.companyName + R"(","emails":[{"address":"new)" + std::to_string(i) +
                          R"(@mail.example"}],"phones":[{"number":")" + contact.phones.front().number + R"("}]})";
        const auto answer = bench.host().call(Method::Post, "/api/contacts", body, bench.caller());
        const auto at = answer.body.find("con_");
        if (answer.status != 201 || at == std::string::npos) throw std::runtime_error(answer.body);
        ids.push_back(answer.body.substr(at, 30));
    }
    const auto created = Clock::now();
    for (int i = 0; i < count; ++i)
    {
        const auto answer = bench.host().call(Method::Put, "/api/contacts/" + ids[static_cast<std::size_t>(i)],
                                              R"({"lastName":"Name)" + std::to_string(i) + "\"}", bench.caller());
        if (answer.status != 200) throw std::runtime_error(answer.body);
    }
    const auto changed = Clock::now();
    const auto rate = [](auto from, auto to) { return count / std::chrono::duration<double>(to - from).count(); };
    std::printf("one by one: %.0f made a second, %.0f renamed\n", rate(start, created), rate(created, changed));
}

void run(const char* engine, const std::string& url, int contacts, int queries, std::string_view wanted)
{
    CrmBench bench(url);
    const auto rate = bench.fill(contacts);
    std::printf("\n%s: %d contacts, stored at %.0f a second\n", engine, contacts, rate);
    bench.analyze();
    if (queries > 0) printTimesHead();
    std::vector<BenchTime> all;
    for (const auto& kind : kinds())
    {
        if (queries == 0) break;
        if (std::string_view(kind.name).find(wanted) == std::string_view::npos) continue;
        auto times = measure(bench, kind, queries);
        all.insert(all.end(), times.begin(), times.end());
        printTimes(kind.name, times);
    }
    if (queries > 0) printTimes("all of them", all);
    printWrites(bench);
}

} // namespace

} // namespace portico::tests

int main(int argc, char** argv)
{
    using namespace portico::tests;
    const int contacts = argc > 1 ? std::atoi(argv[1]) : 200'000, queries = argc > 2 ? std::atoi(argv[2]) : 60;
    const std::string_view engine = argc > 3 ? argv[3] : "";
    const std::string_view wanted = argc > 4 ? argv[4] : "";
    if (engine != "postgresql") run("SQLite", {}, contacts, queries, wanted);
    if (engine != "sqlite") run("PostgreSQL", PostgresServer::shared().makeDatabase(), contacts, queries, wanted);
}
