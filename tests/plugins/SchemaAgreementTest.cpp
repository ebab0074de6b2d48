// valijson needs it first.
#include <initializer_list>

#include "support/Suite.h"

#include "host/plugins/package/ManifestReader.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <valijson/adapters/boost_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include <fstream>
#include <sstream>

using namespace portico::host::plugins;
using portico::testing::equal;
using portico::testing::Suite;

namespace json = boost::json;

/// Our checker words its faults better than a generic validator, but must not judge otherwise: an independent one is asked about the same
/// documents.
class SchemaAgreementTest : public Suite<SchemaAgreementTest>
{
    TEST(judgesLikeAnIndependentValidator)
    {
        const auto schemaDocument = json::parse(ManifestReader::schemaText());
        valijson::Schema schema;
        valijson::adapters::BoostJsonAdapter adapter(schemaDocument);
        valijson::SchemaParser().populateSchema(adapter, schema);
        const SchemaChecker checker(ManifestReader::schemaText());

        std::ostringstream text;
        text << std::ifstream(std::string(SOURCE_TREE) + "/tests/plugins/fixtures/manifest.json").rdbuf();
        const auto right = json::parse(text.str());
        int refused = 0;
        int accepted = 0;
        const auto compare = [&](const json::value& document)
        {
            valijson::Validator validator;
            valijson::adapters::BoostJsonAdapter target(document);
            const bool theirs = validator.validate(schema, target, nullptr);
            const bool ours = checker.check(document).empty();
            equal(theirs, ours, json::serialize(document));
            ++(ours ? accepted : refused);
        };
        compare(right);
        // Every member of the manifest, at any depth, by turns removed, misnamed, and of another type or value.
        const std::vector<json::value> others{nullptr,
                                              true,
                                              -1,
                                              0,
                                              1,
                                              7,
                                              601,
                                              "",
                                              "x",
                                              "ok",
                                              "/p",
                                              "//p",
                                              "^1",
                                              "1.0",
                                              "1.0.0",
                                              "a.b",
                                              "a.b:c",
                                              "ok.*:*",
                                              "https://a.example",
                                              "https://a.example/",
                                              json::array{},
                                              json::array{"x"},
                                              json::array{"x", "x"},
                                              json::object{}};
        const auto paths = pathsOf(right, "");
        CHECK(paths.size() > 30);
        for (const auto& path : paths)
        {
            for (const auto& other : others)
            {
                auto document = right;
                document.at_pointer(path) = other;
                compare(document);
            }
            auto document = right;
            auto& parent = document.at_pointer(path.substr(0, path.rfind('/')));
            if (auto* object = parent.if_object())
            {
                object->erase(path.substr(path.rfind('/') + 1));
                compare(document);
                (*object)["misnamed"] = 1;
                compare(document);
            }
        }
        for (const auto& [member, definition] : schemaDocument.at("properties").as_object())
            for (const auto& other : others)
            {
                auto document = right;
                document.as_object()[member] = other;
                compare(document);
            }
        CHECK(accepted > 50 && refused > 500);
    }

    TEST(refusesSchemasThatItWouldNotHonour)
    {
        CPPUNIT_ASSERT_THROW(SchemaChecker(R"({"type":"object","properties":{"a":{"type":"integer","multipleOf":3}}})"),
                             std::invalid_argument);
        CPPUNIT_ASSERT_THROW(SchemaChecker(R"({"if":{}})"), std::invalid_argument);
        CPPUNIT_ASSERT_THROW(SchemaChecker("{"), std::invalid_argument);
    }

    /// JSON pointers of everything in a document.
    static std::vector<std::string> pathsOf(const json::value& value, const std::string& path)
    {
        std::vector<std::string> paths;
        const auto add = [&](const std::string& name, const json::value& inner)
        {
            paths.push_back(path + "/" + name);
            for (auto& deeper : pathsOf(inner, paths.back())) paths.push_back(std::move(deeper));
        };
        if (const auto* object = value.if_object())
            for (const auto& [name, inner] : *object) add(std::string(name), inner);
        if (const auto* array = value.if_array())
            for (std::size_t i = 0; i < array->size(); ++i) add(std::to_string(i), (*array)[i]);
        return paths;
    }
};
