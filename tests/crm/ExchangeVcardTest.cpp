#include "crm/ExchangeContacts.h"
#include "support/Suite.h"

#include "exchange/Encodings.h"
#include "vcard/VcardWriter.h"

namespace portico::tests
{

/// vCard 4.0 by the book (RFC 6350).
class ExchangeVcardTest : public Suite<ExchangeVcardTest>
{
    TEST(writesEveryProperty)
    {
        crm::Contact contact;
        contact.id = *crm::ContactId::parse("con_01jd0000000000000000000000");
        contact.prefix = "Lady";
        contact.firstName = "Ada";
        contact.lastName = "Lovelace, née Byron";
        contact.nickname = "Ada;A";
        contact.emails = {{"ada@x.example", "work", false}, {"a@x.example", "School", true}};
        contact.phones = {{"0044 20 7946 0958 ext. 12", std::nullopt, "work fax", false}, {"0170 123", std::nullopt, "other", false}};
        contact.addresses = {{"1 Square", "Floor 2", "London", "", "SW1", "GB", "home"}};
        contact.companyName = "Engines; Ltd";
        contact.department = "R\\D";
        contact.jobTitle = "Line 1\nLine 2";
        contact.websites = {"https://x.example/a,b"};
        contact.birthday = "--12-10";
        contact.tags = {"a,b", "c"};
        contact.socialProfiles = {{"mastodon", "@ada@x.example"}, {"my \"net\"", "a;b"}};
        contact.externalIds = {{"erp", "7"}, {"vcard", "A1:ABPerson"}};
        contact.updatedAt = *parseInstant("2026-11-21T09:00:00.123Z");
        crm::complete(contact, nullptr, "", {});
        equal("BEGIN:VCARD\r\nVERSION:4.0\r\nPRODID:-//Portico//CRM//EN\r\n"
              "UID;VALUE=text:A1:ABPerson\r\n"
              "FN:Lady Ada Lovelace\\, née Byron\r\n"
              "N:Lovelace\\, née Byron;Ada;;Lady;\r\n"
              "NICKNAME:Ada\\;A\r\n"
              "EMAIL;TYPE=work:ada@x.example\r\n"
              "item1.EMAIL;PREF=1:a@x.example\r\nitem1.X-ABLabel:School\r\n"
              "TEL;TYPE=work,fax;PREF=1;VALUE=uri:tel:+442079460958;ext=12\r\n"
              "TEL:0170 123\r\n"
              "ADR;TYPE=home:;Floor 2;1 Square;London;;SW1;GB\r\n"
              "ORG:Engines\\; Ltd;R\\\\D\r\n"
              "TITLE:Line 1\\nLine 2\r\n"
              "URL:https://x.example/a,b\r\n"
              "BDAY:--1210\r\n"
              "CATEGORIES:a\\,b,c\r\n"
              "X-SOCIALPROFILE;TYPE=mastodon:@ada@x.example\r\n"
              "X-SOCIALPROFILE;TYPE=\"my ^'net^'\":a\\;b\r\n"
              "REV:20261121T090000Z\r\nEND:VCARD\r\n",
              written({contact}, {.format = crm::ExportFormat::Vcard, .fields = {}}));
    }

    TEST(foldsBetweenCharacters)
    {
        for (std::size_t shift = 0; shift < 5; ++shift)
        {
            crm::Contact contact;
            contact.displayName = std::string(shift, 'x');
            for (int i = 0; i < 60; ++i) contact.displayName += "€👩";
            contact.id = crm::ContactId::make(Instant{});
            const auto card = written({contact}, {.format = crm::ExportFormat::Vcard, .fields = {}});
            std::string unfolded;
            for (std::size_t from = 0; from < card.size();)
            {
                const auto end = card.find("\r\n", from);
                const auto line = card.substr(from, end - from);
                CPPUNIT_ASSERT_MESSAGE(line, line.size() <= 75 && crm::isUtf8(line));
                unfolded += line.starts_with(' ') ? line.substr(1) : "\n" + line;
                from = end + 2;
            }
            CHECK(unfolded.find("\nFN:" + contact.displayName + "\n") != std::string::npos);
        }
    }

    TEST(makesUids)
    {
        const auto uid = [](std::string_view ulid) { return crm::uidOf(*crm::ContactId::parse("con_" + std::string(ulid))); };
        equal("urn:uuid:00000000-0000-0000-0000-000000000000", uid("00000000000000000000000000"));
        equal("urn:uuid:ffffffff-ffff-ffff-ffff-ffffffffffff", uid("7zzzzzzzzzzzzzzzzzzzzzzzzz"));
        equal("urn:uuid:00000000-0000-0000-0000-000000000021", uid("00000000000000000000000011"));
    }
};

} // namespace portico::tests
