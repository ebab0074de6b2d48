#include "crm/ExchangeContacts.h"
#include "crm/ExchangeReport.h"
#include "support/Suite.h"

#include "csv/CsvWriter.h"
#include "exchange/Binding.h"
#include "records/CustomValues.h"

#include <algorithm>

namespace portico::tests
{

/// Round trip of import and export: a file that is written, read and written again is unchanged, except ids and times.
class ExchangeRoundTripTest : public Suite<ExchangeRoundTripTest>
{
    TEST(writesJsonAgain) { checkAgain({.format = crm::ExportFormat::Json, .fields = {}}); }
    TEST(writesLinesAgain) { checkAgain({.format = crm::ExportFormat::Ndjson, .fields = {}}); }
    TEST(writesGenericCsvAgain) { checkAgain({.format = crm::ExportFormat::Csv, .fields = {}}); }
    TEST(writesGenericCsvWithAMarkAgain) { checkAgain({.format = crm::ExportFormat::Csv, .bom = true, .fields = {}}); }
    TEST(writesVcardAgain) { checkAgain({.format = crm::ExportFormat::Vcard, .fields = {}}); }

    TEST(writesManyCustomFieldsAgain)
    {
        ContactGenerator generator(7);
        auto contact = generator.make();
        auto fields = generator.customFields();
        for (int i = 0; i < 200; ++i)
        {
            crm::CustomField field;
            field.key = "f" + std::to_string(i);
            fields.emplace(field.key, field);
            contact.customFields[field.key] = {"\"=" + std::to_string(i) + "\""};
        }
        const crm::ExportStyle style;
        const auto first = written({contact}, style);
        CHECK(first.find("customFields.") == std::string::npos);
        equal(first, written(readBack(first, fields, {contact}), style));
    }

    TEST(losesNothingInJson)
    {
        ContactGenerator generator(99);
        for (int i = 0; i < 300; ++i)
        {
            const auto contact = generator.make();
            const auto back =
                readBack(written({contact}, {.format = crm::ExportFormat::Json, .fields = {}}), generator.customFields(), {contact});
            equal(toJson(contact), toJson(back.front()));
        }
    }

    TEST(readsItsOwnPresets)
    {
        crm::Contact contact;
        contact.firstName = "Ada";
        contact.lastName = "Lovelace";
        contact.companyName = "Engines";
        contact.jobTitle = "Programmer";
        contact.emails = {{"a@x.example", "work", false}, {"b@x.example", "home", true}};
        contact.phones = {{"+44 20 7946 0958", std::nullopt, "mobile", true}, {"+44 20 7946 0959", std::nullopt, "work", false}};
        contact.addresses = {{"1 Square", "Floor 2", "London", "", "SW1", "GB", "home"}};
        contact.birthday = "1990-02-28";
        contact.websites = {"https://x.example"};
        contact.tags = {"a", "b"};
        contact.externalIds = {{"hubspot", "17"}};
        crm::complete(contact, nullptr, "", {});
        for (const auto preset : {crm::ExportPreset::Google, crm::ExportPreset::Outlook, crm::ExportPreset::Hubspot})
        {
            const auto text = written({contact}, {.format = crm::ExportFormat::Csv, .preset = preset, .fields = {}});
            crm::ImportText file(text);
            const auto plan = crm::planImport(file, {});
            equal(std::string(toString(preset)), std::string(toString(*plan.preset)));
            const auto records = readAll(file, plan);
            equal(1, records.size());
            CPPUNIT_ASSERT_MESSAGE(text, records[0].problems.empty());
            const auto& back = records[0].contact;
            equal("Ada", back.firstName);
            equal("Engines", back.companyName);
            equal("1990-02-28", back.birthday.value_or(""));
            equal(2, back.emails.size());
            equal(2, back.phones.size());
            const auto mobile = std::find_if(back.phones.begin(), back.phones.end(), [](const auto& p) { return p.label == "mobile"; });
            CHECK(mobile != back.phones.end());
            equal("+44 20 7946 0958", mobile->number);
            equal("London", back.addresses.at(0).city);
            equal("Floor 2", back.addresses.at(0).street2);
        }
    }

    TEST(guardsEveryText)
    {
        constexpr std::string_view letters = "'=+-@\t\r1 x";
        for (std::size_t a = 0; a < letters.size(); ++a)
            for (std::size_t b = 0; b < letters.size(); ++b)
                for (std::size_t c = 0; c < letters.size(); ++c)
                {
                    const std::string text{letters[a], letters[b], letters[c]};
                    const auto guarded = crm::needsFormulaGuard(text) ? "'" + text : text;
                    equal(text, std::string(crm::withoutFormulaGuard(guarded)));
                    CHECK(guarded[0] != '=' && guarded[0] != '@' && guarded[0] != '\t' && guarded[0] != '\r');
                }
    }

    TEST(joinsEveryList)
    {
        constexpr std::string_view letters = ",;\\ab";
        for (std::size_t a = 0; a < letters.size(); ++a)
            for (std::size_t b = 0; b < letters.size(); ++b)
                for (std::size_t c = 0; c < letters.size(); ++c)
                {
                    const std::vector<std::string> list{{letters[a], letters[b], letters[c]}, {letters[c], letters[a]}, "z"};
                    CHECK(list == crm::splitList(crm::joinList(list, crm::ListStyle::Escaped), crm::ListStyle::Escaped));
                }
    }

    /// Reads a file like an import; contacts that the file cannot restore are created again.
    static std::vector<crm::Contact> readBack(const std::string& text, const crm::CustomFields& fields,
                                              const std::vector<crm::Contact>& before)
    {
        crm::ImportText file(text);
        const auto plan = crm::planImport(file, {});
        std::vector<crm::Contact> contacts;
        for (auto& record : readAll(file, plan))
        {
            const auto& original = before.at(contacts.size());
            const auto fault = record.problems.empty() ? "" : toJson(record.problems.front()) + " of " + toJson(original);
            equal("", std::string(fault));
            auto& contact = contacts.emplace_back(std::move(record.contact));
            if (plan.format == crm::ImportFormat::Csv)
                for (auto& [key, value] : contact.customFields)
                    if (value.text.starts_with('"')) value = crm::customValueFromText(fields.at(key), fromJson<std::string>(value.text));
            crm::complete(contact, nullptr, "", fields);
            contact.id = original.id;
            contact.createdAt = original.createdAt;
            contact.updatedAt = original.updatedAt;
            contact.createdBy = original.createdBy;
        }
        equal(before.size(), contacts.size());
        return contacts;
    }

    static void checkAgain(const crm::ExportStyle& style)
    {
        for (unsigned seed = 1; seed <= 20; ++seed)
        {
            ContactGenerator generator(seed);
            std::vector<crm::Contact> contacts;
            for (int i = 0; i < 40; ++i) contacts.push_back(generator.make());
            const auto first = written(contacts, style);
            const auto second = written(readBack(first, generator.customFields(), contacts), style);
            if (first != second) CPPUNIT_FAIL(difference(first, second));
        }
    }

    static std::string difference(const std::string& first, const std::string& second)
    {
        const auto place = static_cast<std::size_t>(
            std::mismatch(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(std::min(first.size(), second.size())), second.begin())
                .first -
            first.begin());
        const auto from = place < 200 ? 0 : place - 200;
        return "first: …" + first.substr(from, 400) + "\nagain: …" + second.substr(from, 400);
    }
};

} // namespace portico::tests
