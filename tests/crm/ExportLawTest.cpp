#include "crm/ExchangeContacts.h"
#include "crm/ImportFixture.h"

#include <algorithm>
#include <set>
#include <sstream>

namespace portico::tests
{

namespace json = boost::json;

/// Round trip over two organizations: an export that an empty organization imports and exports is identical, except ids and times.
class ExportLawTest : public Suite<ExportLawTest, ImportFixture>
{
    void setUp() override
    {
        ImportFixture::setUp();
        first = withPermission(owner, "crm.contacts:export");
        second = withPermission(stranger, "crm.contacts:export");
    }

    TEST(holdsForJson)
    {
        check("format=json", "application/json",
              [](const std::string& text)
              {
                  auto contacts = json::parse(text);
                  for (auto& contact : contacts.as_array())
                      for (const auto* member : {"id", "createdAt", "updatedAt"}) contact.as_object().erase(member);
                  return json::serialize(contacts);
              });
    }

    TEST(holdsForLines)
    {
        check("format=ndjson", "application/x-ndjson",
              [](const std::string& text)
              {
                  std::string plain;
                  std::istringstream lines(text);
                  for (std::string line; std::getline(lines, line);)
                  {
                      auto contact = json::parse(line);
                      for (const auto* member : {"id", "createdAt", "updatedAt"}) contact.as_object().erase(member);
                      plain += json::serialize(contact) + '\n';
                  }
                  return plain;
              });
    }

    TEST(holdsForGenericCsv)
    {
        // Ids are the first cell of each row, times the last two: neither has a quote.
        check("format=csv", "text/csv",
              [](std::string text)
              {
                  for (auto at = text.find("con_"); at != std::string::npos; at = text.find("con_", at + 1))
                      if (at > 0 && text[at - 1] == '\n') text.replace(at, 30, "con");
                  constexpr std::string_view time = "2026-11-21T09:00:00.000Z";
                  for (auto at = text.find(time); at != std::string::npos; at = text.find(time, at)) text.replace(at, time.size(), "time");
                  return text;
              });
    }

    TEST(holdsForVcard)
    {
        check("format=vcard", "text/vcard", [](const std::string& text) { return text; });
    }

    TEST(makesNoDuplicatesOfItsOwnFile)
    {
        fill(1);
        for (const auto& [format, type] : std::vector<std::pair<std::string, std::string>>{
                 {"format=json", "application/json"}, {"format=csv", "text/csv"}, {"format=vcard", "text/vcard"}})
        {
            const auto text = exported(first, format);
            const auto before = countContacts();
            const auto again = importFile(first, text, "", type);
            equal(200, again.status, again.body);
            const auto once = countContacts();
            // vCards contain a UID, which contacts without an e-mail address get only by the first import.
            if (format != "format=vcard") equal(before, once, format);
            importFile(first, text, "", type);
            equal(once, countContacts(), format);
        }
    }

    /// Contacts with every member, through the interface.
    void fill(unsigned seed)
    {
        constexpr int count = 60;
        ContactGenerator generator(seed);
        std::vector<crm::Contact> contacts;
        for (int i = 0; i < count; ++i) contacts.push_back(generator.make());
        for (const auto& caller : {first, second})
            for (const auto& [key, field] : generator.customFields())
                requireStatus(201, client->post(caller, "/api/custom-fields", toJson(field)));
        for (const auto& contact : contacts)
        {
            if (contact.ownerUserId)
                for (const auto& caller : {first, second}) directory.members[{caller.organizationId, contact.ownerUserId->text()}] = true;
            requireStatus(201, client->post(first, "/api/contacts", toJson(contact)));
        }
    }

    template <class Plain>
    void check(const std::string& format, const std::string& type, Plain plain)
    {
        fill(static_cast<unsigned>(format.size()));
        const auto before = exported(first, format);
        const auto report = importFile(second, before, "onDuplicate=create", type);
        requireStatus(200, report);
        equal("60 60 0 0 0", totals(report), report.at(""));
        const auto after = exported(second, format);
        const auto left = plain(before), right = plain(after);
        const auto shorter = static_cast<std::ptrdiff_t>(std::min(left.size(), right.size()));
        const auto place = std::mismatch(left.begin(), left.begin() + shorter, right.begin()).first - left.begin();
        const auto from = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, place - 200));
        CPPUNIT_ASSERT_MESSAGE("before: …" + left.substr(std::min(from, left.size()), 400) + "\nafter: …" +
                                   right.substr(std::min(from, right.size()), 400),
                               left == right);
    }

    static void requireStatus(int status, const Answer& answer) { equal(status, answer.status, answer.body); }

    std::string exported(const Caller& caller, const std::string& query) const
    {
        testing::TestRequest request;
        request.target = "/api/contacts/export?" + query;
        request.caller = caller;
        auto response = host->call(request);
        auto text = testing::TestHost::bodyOf(response);
        equal(200, response.status, text);
        return text;
    }

    Caller first;
    Caller second;
};

} // namespace portico::tests
