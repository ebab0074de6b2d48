#include "crm/ImportFixture.h"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace portico::tests
{

namespace json = boost::json;
namespace fs = std::filesystem;

/// Imports all files of the corpus: every row is counted once, a check predicts the import, and a repeated import creates no contact.
class ImportCorpusTest : public Suite<ImportCorpusTest, ImportFixture>
{
    TEST(countsEveryRowOfEveryFile)
    {
        std::int64_t files = 0, rows = 0, created = 0, failed = 0;
        for (const auto& sample : samples())
        {
            const auto caller = newCaller();
            const auto checked = send(caller, sample, true), made = send(caller, sample, false);
            equal(made.status, checked.status, sample.path);
            ++files;
            if (made.status != 200)
            {
                equal(400, made.status, sample.path);
                equal(made.errors(), checked.errors(), sample.path);
                continue;
            }
            const auto totals = valueAt(made, "/totals");
            const auto count = [&](const char* name) { return totals.at(name).as_int64(); };
            equal(count("rows"), count("created") + count("updated") + count("skipped") + count("failed"), sample.path);
            for (const auto* same :
                 {"/totals", "/errors", "/errorCount", "/duplicatesInFile", "/status", "/columns", "/preset", "/encoding"})
                equal(made.at(same), checked.at(same), sample.path + ' ' + same);
            const auto again = send(caller, sample, false);
            equal("0", again.at("/totals/created"), sample.path);
            equal(count("failed"), std::stoll(again.at("/totals/failed")), sample.path);
            equal(count("created"), std::stoll(client->get(caller, "/api/contacts?limit=1&include=total").at("/total")), sample.path);
            rows += count("rows");
            created += count("created");
            failed += count("failed");
        }
        CHECK(files >= 60 && rows > 200 && created > 100 && failed > 30);
    }

    struct Sample
    {
        std::string path;
        std::string text;
        json::object options;
    };

    static std::string read(const fs::path& path)
    {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    static std::vector<Sample> samples()
    {
        std::vector<Sample> samples;
        for (const auto& entry : fs::directory_iterator(corpusFolder()))
        {
            const auto path = entry.path().string();
            if (!fs::exists(path + ".expected.json")) continue;
            Sample sample{path, read(path), {}};
            if (fs::exists(path + ".options.json")) sample.options = json::parse(read(path + ".options.json")).as_object();
            samples.push_back(std::move(sample));
        }
        return samples;
    }

    Answer send(const Caller& caller, const Sample& sample, bool dryRun) const
    {
        auto options = sample.options;
        options["dryRun"] = dryRun;
        const auto body = "--b0undary\r\nContent-Disposition: form-data; name=\"options\"\r\n\r\n" + json::serialize(options) +
                          "\r\n--b0undary\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" +
                          fs::path(sample.path).filename().string() + "\"\r\n\r\n" + sample.text + "\r\n--b0undary--\r\n";
        return importFile(caller, body, {}, "multipart/form-data; boundary=b0undary");
    }
};

} // namespace portico::tests
