#include "crm/ExchangeContacts.h"
#include "crm/ExchangeReport.h"
#include "support/Suite.h"

#include "csv/CsvWriter.h"
#include "exchange/Dates.h"
#include "exchange/FieldPath.h"
#include "vcard/VcardProperty.h"

#include "portico/Arguments.h"
#include "portico/Problem.h"
#include "portico/testing/JsonWith.h"

#include <algorithm>

namespace portico::tests
{

using testing::jsonWith;

/// Reading of contact files: cases that need more than a small file in the corpus.
class ExchangeImportTest : public Suite<ExchangeImportTest>
{
    TEST(findsTheFormat)
    {
        using enum crm::ImportFormat;
        const std::string csv = "name,email\nAda,ada@x.example\n", card = "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ada\r\nEND:VCARD\r\n";
        const std::string array = " [{\"firstName\":\"Ada\"}]", object = "{\"contacts\":[]}", line = "{\"firstName\":\"Ada\"}\n";
        CHECK(formatOf(csv) == Csv && formatOf(card) == Vcard && formatOf(array) == Json);
        CHECK(formatOf(object) == Json && formatOf(line) == Ndjson);
        // The content type of a browser is often wrong.
        CHECK(formatOf(card, {.contentType = "text/csv"}) == Vcard);
        CHECK(formatOf(csv, {.contentType = "application/vnd.ms-excel", .fileName = "x.CSV"}) == Csv);
        CHECK(formatOf(csv, {.contentType = "application/octet-stream"}) == Csv);
        CHECK(formatOf(array, {.contentType = "application/json; charset=utf-8"}) == Json);
        CHECK(formatOf(line, {.contentType = "application/x-ndjson"}) == Ndjson);
        CHECK(formatOf(object, {.fileName = "x.ndjson"}) == Ndjson);
        CHECK(formatOf("FN:x\r\n", {.contentType = "Text/X-VCard"}) == Vcard);
        crm::ImportOptions options;
        options.format = Json;
        crm::ImportText text(csv);
        equal("file unsupported_format", refusalOf(text, options));
    }

    TEST(readsOptionsFromAQuery)
    {
        Request request;
        request.query = "format=csv&delimiter=tab&encoding=windows-1252&dateFormat=dmy&matchBy=phone,externalId&tags=a,b&hasHeader=false"
                        "&onDuplicate=merge&dryRun=true&defaultCountry=DE&mapping=%7B%221%22:%22firstName%22,%222%22:null%7D";
        const auto options = queryOf(request).options();
        CHECK(options.format == crm::ImportFormat::Csv && options.delimiter == crm::ImportDelimiter::Tab);
        CHECK(options.encoding == crm::ImportEncoding::Windows1252 && options.dateFormat == crm::ImportDates::DayFirst);
        CHECK((options.matchBy == std::vector{crm::ImportKey::Phone, crm::ImportKey::ExternalId}));
        CHECK(options.onDuplicate == crm::ImportOnDuplicate::Merge && options.dryRun && !options.hasHeader && !options.async);
        CHECK((options.mapping == crm::ImportMapping{{"1", "firstName"}, {"2", std::nullopt}}));
        Request bar;
        bar.query = "delimiter=%7C";
        CHECK(queryOf(bar).delimiter == crm::ImportDelimiter::Bar);
        for (const auto* mapping : {"mapping=x", "mapping=%5B%5D", "mapping=%7B%22a%22:1%7D"})
        {
            Request wrong;
            wrong.query = mapping;
            const auto query = queryOf(wrong);
            CPPUNIT_ASSERT_THROW_MESSAGE(mapping, query.options(), Problem);
        }
        for (const auto* query : {"defaultCountry=Germany", "delimiter=x", "matchBy=name", "format=xlsx", "dryRun=1"})
        {
            Request wrong;
            wrong.query = query;
            CPPUNIT_ASSERT_THROW_MESSAGE(query, queryOf(wrong), Problem);
        }
    }

    TEST(readsOptionsFromJson)
    {
        const auto options = fromJson<crm::ImportOptions>(
            R"({"mapping":{"Mail":"emails[0].address","Shoe":null},"delimiter":";","preset":"google_legacy"})");
        CHECK((options.mapping == crm::ImportMapping{{"Mail", "emails[0].address"}, {"Shoe", std::nullopt}}));
        CHECK(options.preset == crm::ImportPreset::GoogleLegacy && options.delimiter == crm::ImportDelimiter::Semicolon);
        CHECK((options.matchBy == std::vector{crm::ImportKey::Email, crm::ImportKey::ExternalId}));
        equal(toJson(options), toJson(fromJson<crm::ImportOptions>(toJson(options))));
        CPPUNIT_ASSERT_THROW(fromJson<crm::ImportOptions>(R"({"mappings":{}})"), Problem);
    }

    TEST(knowsCallingCodes)
    {
        equal("49", std::string(crm::callingCode("DE")));
        equal("1", std::string(crm::callingCode("us")));
        equal("263", std::string(crm::callingCode("ZW")));
        equal("376", std::string(crm::callingCode("AD")));
        for (const auto* country : {"", "D", "XX", "DEU"}) CHECK(crm::callingCode(country).empty());
    }

    TEST(namesColumnsOfMembers)
    {
        const std::string text = "name,Mail,Mail 2,tags\nAda,,,\n";
        crm::ImportText file(text);
        const auto plan = crm::planImport(file, {});
        equal("Mail 2", std::string(crm::columnOf(plan, "emails[1].address")));
        equal("Mail", std::string(crm::columnOf(plan, "emails[7].address")));
        equal("Mail", std::string(crm::columnOf(plan, "emails")));
        equal("tags", std::string(crm::columnOf(plan, "tags[3]")));
        CHECK(crm::columnOf(plan, "phones[0].number").empty());
    }

    TEST(takesPathsApart)
    {
        for (const auto* path : {"firstName", "emails[0].address", "emails[99].primary", "websites[4]", "websites", "doNotContact.sms",
                                 "customFields.shoe_size", "customFields", "externalIds.hubspot", "externalIds[2].system", "tags", "notes",
                                 "ownerEmail", "addresses[1].street2"})
        {
            const auto parsed = crm::FieldPath::parse(path);
            CPPUNIT_ASSERT_MESSAGE(path, parsed.has_value());
            equal(path, parsed->text());
        }
        for (const auto* path : {"", "firstname", "emails[0]", "emails[].address", "emails[100].address", "emails[-1].address",
                                 "emails[01].address", "emails[0].adress", "emails.address", "websites[0].x", "customFields.",
                                 "customFields.Shoe", "externalIds.", "id", "createdAt", "doNotContact", "firstName[0]", "emails[0", "[0]"})
            CPPUNIT_ASSERT_MESSAGE(path, !crm::FieldPath::parse(path));
    }

    TEST(cutsShownValues)
    {
        std::string umlauts;
        for (int i = 0; i < 150; ++i) umlauts += "ü";
        const auto records = recordsOf("name,birthday\nAda," + umlauts + "\n");
        equal(200, records.at(0).problems.at(0).value.size());
    }

    TEST(keepsPhotosUpToALimit)
    {
        constexpr std::size_t limit = 1024 * 1024;
        for (const auto& [bytes, kept] : {std::pair{limit, true}, std::pair{limit + 1, false}})
        {
            const auto records = recordsOf(photoCard(bytes) + plainCard("Next"));
            equal(2, records.size());
            CHECK(records[0].problems.empty());
            equal(kept, records[0].photo.has_value());
            equal(std::string(kept ? "" : "photo_too_large"), codesOf(records[0].warnings));
            if (kept) equal(bytes, records[0].photo->bytes.size());
            equal("Next", records[1].contact.displayName);
        }
    }

    TEST(keepsValuesOfColumnsForOnePlace)
    {
        const auto lists = [](const crm::Contact& contact)
        {
            std::string text;
            for (const auto& email : contact.emails) text += email.address + ' ';
            for (const auto& phone : contact.phones) text += phone.number + ' ';
            for (const auto& website : contact.websites) text += website + ' ';
            return text;
        };
        const auto all = recordsOf("Emails,Email,Phone,Phones,Website,Websites\n"
                                   "b@x.example;a@x.example;c@x.example,a@x.example,030 1,030 2;030 1,a.example,b.example\n");
        equal("a@x.example b@x.example c@x.example 030 1 030 2 a.example b.example ", lists(all.at(0).contact));
        // A page that maps columns by their names maps equal names to one path.
        crm::ImportOptions options;
        options.mapping = crm::ImportMapping{{"Mail", "emails[1].address"}, {"Tel", "phones[0].number"}};
        const std::string text = "Mail,Mail,Tel,Tel\na@x.example,b@x.example,030 1,030 1\n";
        crm::ImportText file(text);
        const auto plan = crm::planImport(file, options);
        equal("a@x.example b@x.example 030 1 ", lists(readAll(file, plan).at(0).contact));
        // The code of a separate column belongs to all numbers.
        equal("+49170222333 +49170222334 ", lists(recordsOf("Name,Phones,Calling Code\nAda,170222333;170222334,+49\n").at(0).contact));
    }

    TEST(endsEndlessPhotos)
    {
        // A line longer than the limit, as the last property of a card without an end.
        const auto records = recordsOf(photoCard(12 * 1024 * 1024) + plainCard("Next"));
        equal(2, records.size());
        equal("photo_too_large", codesOf(records[0].warnings));
        CHECK(records[0].problems.empty() && !records[0].photo);
        equal("Next", records[1].contact.displayName);
    }

    TEST(refusesLongRows)
    {
        const std::string longest(2 * 1024 * 1024, 'x');
        const auto records =
            recordsOf("name,email\n" + longest + ",a@x.example\nBob,b@x.example\n\"" + longest + "\",c@x.example\nDee,d@x.example\n");
        equal(4, records.size());
        equal("too_long", codesOf(records[0].problems));
        equal("Bob", records[1].contact.displayName);
        // It has not come to the closing quote, so it is taken for a missing one.
        equal("unbalanced_quotes", codesOf(records[2].problems));
        equal("Dee", records[3].contact.displayName);
        equal(5, records[3].line);
    }

    TEST(refusesLongObjects)
    {
        const std::string longest(2 * 1024 * 1024, 'x');
        for (const std::string_view separator : {",\n", "\n"})
        {
            auto text = jsonWith(R"({"firstName":"$"}${"firstName":"Bob"})", longest, separator);
            if (separator.front() == ',') text = "[" + text + "]";
            const auto records = recordsOf(text);
            equal(2, records.size());
            equal("too_long", codesOf(records[0].problems));
            equal("Bob", records[1].contact.firstName);
            equal(2, records[1].line);
        }
    }

    TEST(refusesLongCards)
    {
        std::string many = "BEGIN:VCARD\nVERSION:3.0\nFN:Many\n";
        for (int i = 0; i < 3000; ++i) many += "X-A:1\n";
        const auto records = recordsOf(many + "END:VCARD\n" + plainCard("Next"));
        equal("too_long", codesOf(records.at(0).problems));
        equal("Next", records.at(1).contact.displayName);
    }

    TEST(recoversFromAnOpenQuote)
    {
        // Every other row opens a quote that nothing closes within reach.
        std::string text = "name,email,phone\n";
        for (int i = 0; i < 2000; ++i)
            text += (i % 2 == 0 ? "\"Open " : "Good ") + std::to_string(i) + ",a" + std::to_string(i) + "@x.example,030 123\n";
        const auto records = recordsOf(text);
        equal(2000, records.size());
        for (std::size_t i = 0; i < records.size(); ++i)
        {
            equal(static_cast<std::int64_t>(i + 2), records[i].line);
            equal(std::string(i % 2 == 0 ? "unbalanced_quotes" : ""), codesOf(records[i].problems));
        }
    }

    TEST(keepsQuotedLinesOfRowsWithSurplusCells)
    {
        const auto records = recordsOf("First Name,Last Name,Email,Notes\n"
                                       "Ada,Lovelace, PhD,ada@x.example,\"met at fair\nlikes tea\"\n"
                                       "Bob,B,b@x.example,\n"
                                       "Cy,\"C,c@x.example,n\nDee,D,\",d@x.example,n,o\n");
        equal("too_many_columns", codesOf(records.at(0).problems));
        equal("Bob", records.at(1).contact.firstName);
        equal(4, records.at(1).line);
        // The quoted text has a delimiter after a line break: it is the next row.
        equal("unbalanced_quotes", codesOf(records.at(2).problems));
        equal(6, records.at(3).line);
    }

    TEST(seesDatesOfTheWholeFile)
    {
        std::string text = "name,birthday\n";
        for (int i = 0; i < 5000; ++i) text += "Ada,01/02/1990\n";
        equal("ambiguous_date", codesOf(recordsOf(text).at(0).problems));
        equal("1990-02-01", recordsOf(text + "Last,31/12/1990\n").at(0).contact.birthday.value_or(""));
        equal("1990-01-02", recordsOf(text + "Last,12/31/1990\n").at(0).contact.birthday.value_or(""));
    }

    TEST(findsUmlautsLateInTheFile)
    {
        std::string text = "name,email\n";
        for (int i = 0; i < 10000; ++i) text += "Ada,ada" + std::to_string(i) + "@x.example\n";
        equal("Jörg", recordsOf(text + "J\xf6rg,j@x.example\n").back().contact.displayName);
        equal("Jörg", recordsOf(text + "Jörg,j@x.example\n").back().contact.displayName);
    }

    TEST(readsWhatTheErrorFileHolds)
    {
        const std::string text = "name;email;notes\n=Ada;nobody;\"a;b \"\"c\"\"\"\n";
        crm::ImportText file(text);
        const auto plan = crm::planImport(file, {});
        std::string errors;
        std::vector<std::string> header;
        for (const auto& column : plan.columns) header.push_back(column.name);
        header.insert(header.end(), {"_errorCode", "_errorMessage"});
        crm::appendCsvRecord(errors, header, ';');
        auto record = readAll(file, plan).at(0);
        auto cells = record.cells;
        cells[1] = "ada@x.example";
        cells.insert(cells.end(), {record.problems.at(0).code, record.problems.at(0).message});
        crm::appendCsvRecord(errors, cells, ';');
        const auto again = recordsOf(errors);
        equal(1, again.size());
        CHECK(again[0].problems.empty());
        equal("=Ada", again[0].contact.displayName);
        equal("a;b \"c\"", again[0].notes.at(0));
    }

    TEST(usesRecordsAgain)
    {
        const std::string text = plainCard("Ada\r\nNOTE:n\r\nTEL:x\r\nPHOTO;ENCODING=b:/9j/4AAQ") + plainCard("Bob");
        crm::ImportText file(text);
        const auto plan = crm::planImport(file, {});
        const auto reader = crm::openImport(file, plan);
        crm::ParsedRow record;
        CHECK(reader->next(record));
        CHECK(!record.problems.empty() && !record.notes.empty() && record.photo);
        CHECK(reader->next(record));
        CHECK(record.problems.empty() && record.notes.empty() && !record.photo && record.contact.phones.empty());
        CHECK((record.members == std::vector<std::string>{"displayName"}));
        CHECK(!reader->next(record));
    }

    static crm::ImportFormat formatOf(std::string_view text, const crm::ImportHints& hints = {})
    {
        crm::ImportText file(text);
        return crm::planImport(file, {}, hints).format;
    }

    static std::string refusalOf(crm::ImportFile& file, const crm::ImportOptions& options)
    {
        try
        {
            crm::planImport(file, options);
            return {};
        }
        catch (const Problem& problem)
        {
            return problem.errors().at(0).field + ' ' + problem.errors().at(0).code;
        }
    }

    static crm::ImportQuery queryOf(const Request& request)
    {
        crm::ImportQuery query;
        portico::detail::readQuery(request, portico::detail::typeOf<crm::ImportQuery>, &query);
        return query;
    }

    static std::vector<crm::ParsedRow> recordsOf(const std::string& text)
    {
        crm::ImportText file(text);
        const auto plan = crm::planImport(file, {});
        return readAll(file, plan);
    }

    static std::string codesOf(const std::vector<crm::ImportProblem>& problems)
    {
        std::string codes;
        for (const auto& problem : problems) (codes += codes.empty() ? "" : " ") += problem.code;
        return codes;
    }

    static std::string plainCard(const std::string& name) { return "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:" + name + "\r\nEND:VCARD\r\n"; }

    /// Returns a card with a photo of this size, in folded lines.
    static std::string photoCard(std::size_t bytes)
    {
        std::string base64((bytes + 2) / 3 * 4, 'A');
        for (std::size_t i = 0; i < (3 - bytes % 3) % 3; ++i) base64[base64.size() - 1 - i] = '=';
        std::string folded;
        for (std::size_t i = 0; i < base64.size(); i += 74) folded += (i == 0 ? "" : "\r\n ") + base64.substr(i, 74);
        return "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Photo\r\nPHOTO;ENCODING=b;TYPE=JPEG:" + folded + "\r\nEND:VCARD\r\n";
    }
};

} // namespace portico::tests
