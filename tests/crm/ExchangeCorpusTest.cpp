#include "crm/ExchangeReport.h"
#include "crm/SourceFolders.h"
#include "support/Suite.h"

#include "portico/Json.h"
#include "portico/testing/JsonWith.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace portico::tests
{

using testing::jsonWith;

namespace json = boost::json;
namespace fs = std::filesystem;

/// Corpus of files from other programs and damaged ones, with their expected results: `x.csv` and `x.csv.expected.json`, optionally with
/// `x.csv.options.json`.
class ExchangeCorpusTest : public Suite<ExchangeCorpusTest>
{
    TEST(readsEveryFileAsExpected)
    {
        std::string different;
        for (const auto& sample : samples())
        {
            const auto report = reportOf(sample, sample.text.size());
            if (report == read(sample.path + ".expected.json")) continue;
            const auto actual = (fs::temp_directory_path() / (fs::path(sample.path).filename().string() + ".actual.json")).string();
            std::ofstream(actual, std::ios::binary) << report;
            different += "\n  " + sample.path + ": found " + actual;
        }
        CPPUNIT_ASSERT_MESSAGE("These files are read in another way than expected:" + different, different.empty());
    }

    TEST(readsEveryFileInPieces)
    {
        for (const auto& sample : samples())
        {
            const auto whole = reportOf(sample, sample.text.size());
            for (const std::size_t pieceBytes : {1, 2, 3, 7}) equal(whole, reportOf(sample, pieceBytes), sample.path);
        }
    }

    TEST(readsOnFromEveryRecord)
    {
        std::size_t records = 0;
        for (const auto& sample : samples())
        {
            crm::ImportText file(sample.text);
            const auto plan = planOf(sample, file);
            if (!plan) continue;
            const auto all = readAll(file, *plan);
            for (std::size_t i = 0; i < all.size(); ++i)
            {
                const auto rest = readAll(file, *plan, all[i].next);
                equal(all.size() - i - 1, rest.size(), sample.path);
                for (std::size_t k = 0; k < rest.size(); ++k)
                    equal(json::serialize(summaryOf(all[i + 1 + k])), json::serialize(summaryOf(rest[k])), sample.path);
            }
            records += all.size();
        }
        CHECK(records > 100);
    }

    TEST(readsByAPlanThatWasStored)
    {
        for (const auto& sample : samples())
        {
            crm::ImportText file(sample.text);
            const auto plan = planOf(sample, file);
            if (plan) CPPUNIT_ASSERT_MESSAGE(sample.path, fromJson<crm::ImportPlan>(toJson(*plan)) == *plan);
        }
    }

    TEST(showsEveryDefect)
    {
        std::string reports;
        for (const auto& sample : samples()) reports += read(sample.path + ".expected.json");
        // Codes that depend on the database or need a large file have separate tests.
        for (const auto* code :
             {"empty_row", "missing_identity", "invalid_email", "invalid_phone", "invalid_date", "ambiguous_date", "too_long",
              "too_many_values", "unknown_option", "unknown_owner", "bad_encoding", "unbalanced_quotes", "too_many_columns", "vcard_syntax",
              "vcard_version", "invalid_json", "wrong_type", "unknown_field", "required"})
            CPPUNIT_ASSERT_MESSAGE(code, reports.find(jsonWith(R"({"code":"$")", code)) != std::string::npos);
        for (const auto* code : {"empty_file", "no_header", "unsupported_format", "too_many_columns", "not_decodable"})
            CPPUNIT_ASSERT_MESSAGE(code, reports.find(jsonWith(R"({"refused":[{"field":"file","code":"$")", code)) != std::string::npos);
    }

    TEST(namesEveryFile)
    {
        const auto list = read((fs::path(corpusFolder()) / "README.md").string());
        for (const auto& sample : samples())
        {
            const auto name = fs::path(sample.path).stem().string();
            const auto family = name.substr(0, name.rfind('_')) + '*';
            const bool named = list.find('`' + name + '`') != std::string::npos || list.find('`' + family) != std::string::npos;
            CPPUNIT_ASSERT_MESSAGE("README.md does not say what " + name + " is for", named);
        }
    }

    struct Sample
    {
        std::string path;
        std::string text;
        crm::ImportOptions options;
    };

    static std::string read(const std::string& path)
    {
        std::ifstream file(path, std::ios::binary);
        std::stringstream text;
        text << file.rdbuf();
        return text.str();
    }

    static std::vector<Sample> samples()
    {
        std::vector<Sample> samples;
        for (const auto& entry : fs::directory_iterator(corpusFolder()))
        {
            const auto path = entry.path().string();
            if (path.ends_with(".expected.json") || path.ends_with(".options.json") || path.ends_with("README.md")) continue;
            Sample sample{path, read(path), {}};
            if (fs::exists(path + ".options.json")) sample.options = fromJson<crm::ImportOptions>(read(path + ".options.json"));
            samples.push_back(std::move(sample));
        }
        std::sort(samples.begin(), samples.end(), [](const Sample& left, const Sample& right) { return left.path < right.path; });
        CHECK(samples.size() >= 60);
        return samples;
    }

    static std::string reportOf(const Sample& sample, std::size_t pieceBytes)
    {
        PiecewiseText file(sample.text, std::max<std::size_t>(pieceBytes, 1));
        return tests::reportOf(file, sample.options, {.contentType = {}, .fileName = sample.path});
    }

    static std::optional<crm::ImportPlan> planOf(const Sample& sample, crm::ImportFile& file)
    {
        try
        {
            return crm::planImport(file, sample.options, {.contentType = {}, .fileName = sample.path});
        }
        catch (const Problem&)
        {
            return std::nullopt;
        }
    }
};

} // namespace portico::tests
