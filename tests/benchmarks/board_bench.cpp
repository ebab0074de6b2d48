// The board of a pipeline with many cards, through the routes of the service, on both engines: `board_bench [cards] [contacts] [requests of
// each kind]`. Prints what a board takes by kind of request, in milliseconds.

#include "CrmBench.h"

#include "pipelines/CardRow.h"
#include "pipelines/OrderKey.h"

#include <boost/json.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>

namespace portico::tests
{

namespace
{

namespace json = boost::json;

json::value ask(CrmBench& bench, const std::string& target)
{
    return json::parse(bench.host().call(Method::Get, target, {}, bench.caller()).body);
}

/// Most cards are on the first stages.
std::vector<crm::StageId> stagesOf(const json::value& pipeline)
{
    constexpr std::array shares{8, 4, 3, 2, 1, 5, 7};
    std::vector<crm::StageId> stages;
    for (std::size_t i = 0; i < shares.size(); ++i)
        for (int k = 0; k < shares[i]; ++k)
            stages.push_back(*crm::StageId::parse(std::string_view(pipeline.at("stages").at(i).at("stageId").as_string())));
    return stages;
}

void run(const char* engine, const std::string& url, int cards, int contacts, int requests)
{
    CrmBench bench(url);
    const auto pipeline = ask(bench, "/api/pipeline").at("items").at(0);
    const auto id = std::string(pipeline.at("pipelineId").as_string());
    const auto stages = stagesOf(pipeline);
    std::map<crm::StageId, std::string> last;
    int placed = 0;
    const int every = contacts / cards;
    bench.fill(contacts,
               [&](Transaction& transaction, const crm::Contact& contact)
               {
                   if (placed++ % every != 0) return;
                   crm::CardRow card{
                       *crm::PipelineId::parse(id), contact.id, stages[bench.world().random()() % stages.size()], {}, {}, {}, {}, false};
                   card.position = last[card.stageId] = crm::keyBetween(last[card.stageId], {});
                   card.since = contact.createdAt;
                   card.value = bench.world().random()() % 1'000'000;
                   crm::cardTable.insert(transaction, bench.caller().tenant(), card);
                   crm::writePlaces(transaction, bench.caller().tenant(), contact.id);
               });
    bench.analyze();
    std::printf("\n%s: a board of %d cards, %d contacts\n", engine, (contacts + every - 1) / every, contacts);
    const auto path = "/api/pipeline/" + id + "/board";
    const auto first = std::string(pipeline.at("stages").at(0).at("stageId").as_string());
    const auto column = path + "?stageId=" + first;
    const auto next = column + "&cursor=" + std::string(ask(bench, column).at("columns").at(0).at("nextCursor").as_string());
    const std::vector<std::pair<const char*, std::string>> kinds{{"the board, 50 a column", path},
                                                                 {"200 a column", path + "?limitPerStage=200"},
                                                                 {"one column", column},
                                                                 {"next page of a column", next},
                                                                 {"of a tag", path + "?tag=t3"},
                                                                 {"of an owner", path + "?ownerUserId=usr_01jd0000000000000000000000"},
                                                                 {"\"anna\"", path + "?q=anna"},
                                                                 {"\"an\"", path + "?q=an"},
                                                                 {"\"ann\"", path + "?q=ann"},
                                                                 {"\"m\"", path + "?q=m"},
                                                                 {"\"xample\"", path + "?q=xample"},
                                                                 {"\"anna schm\"", path + "?q=anna+schm"},
                                                                 {"nothing", path + "?q=zzq"},
                                                                 {"\"anna\" of a tag", path + "?q=anna&tag=t3"}};
    printTimesHead();
    for (const auto& [name, target] : kinds)
    {
        std::vector<BenchTime> times;
        for (int i = 0; i < requests; ++i) times.push_back(bench.get(target));
        printTimes(name, times);
    }
}

} // namespace

} // namespace portico::tests

int main(int argc, char** argv)
{
    using namespace portico::tests;
    const int cards = argc > 1 ? std::atoi(argv[1]) : 5'000, contacts = argc > 2 ? std::atoi(argv[2]) : 50'000;
    const int requests = argc > 3 ? std::atoi(argv[3]) : 100;
    run("SQLite", {}, cards, contacts, requests);
    run("PostgreSQL", PostgresServer::shared().makeDatabase(), cards, contacts, requests);
}
