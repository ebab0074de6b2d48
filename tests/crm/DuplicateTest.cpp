#include "crm/CrmFixture.h"

#include "contacts/ContactDuplicates.h"
#include "merges/DuplicateGroups.h"

#include "portico/Json.h"

#include <iostream>
#include <set>

namespace portico::tests
{

namespace json = boost::json;

/// GET /api/contacts/duplicates.
class DuplicateTest : public Suite<DuplicateTest, CrmFixture>
{
    TEST(findsByEverything)
    {
        add(R"("firstName":"A","emails":[{"address":"Same@A.example"}])");
        add(R"("firstName":"B","emails":[{"address":"same@a.example"}])");
        add(R"("firstName":"C","phones":[{"number":"+49 170 1234567"}])");
        add(R"("firstName":"D","phones":[{"number":"0049 (170) 1234567"}])");
        add(R"("firstName":"Åsa","lastName":"Öst","companyName":" Acme")");
        add(R"("firstName":"asa","lastName":"OST","companyName":"ACME")");
        add(R"("firstName":"Catherine","lastName":"Miller","emails":[{"address":"c@corp.example"}])");
        add(R"("firstName":"Catherina","lastName":"Miller","emails":[{"address":"cm@corp.example"}])");
        add(R"("firstName":"Somebody","lastName":"Else","emails":[{"address":"se@corp.example"}])");
        equal({"1 [email] A+B", "0.9 [phone] C+D", "0.7 [name_and_company] Åsa Öst+asa OST",
               "0.6 [similar_name] Catherine Miller+Catherina Miller"},
              pairs(get()));
    }

    TEST(showsWholeContacts)
    {
        const auto a = add(R"("firstName":"A","tags":["x"],"emails":[{"address":"s@a.example"}])");
        const auto b = add(R"("firstName":"B","emails":[{"address":"s@a.example"}])");
        client->post(owner, "/api/contacts/" + a + "/notes", R"({"body":"x"})");
        const auto pair = valueAt(get(), "/items/0");
        equal(show(a).at(""), json::serialize(pair.at("contacts").at(0)));
        equal(show(b).at(""), json::serialize(pair.at("contacts").at(1)));
        equal(3, pair.as_object().size());
    }

    TEST(listsAPairOnce)
    {
        const std::string both = R"("firstName":"Ada","lastName":"Lovelace","companyName":"Acme","emails":[{"address":"b@a.example"},
            {"address":"a@a.example"},{"address":"c@c.example"}],"phones":[{"number":"+49170100000"},{"number":"+49170100001"},{"number":"+49170100002"}])";
        add(both);
        add(both);
        add(both);
        const std::string pair = "1 [email, phone, name_and_company, similar_name] Ada Lovelace+Ada Lovelace";
        equal({pair, pair, pair}, pairs(get()));
        equal(3, walk("limit=1").size());
    }

    TEST(filtersByScore)
    {
        findsByEverything();
        equal(1, get("minScore=0.95").count("/items"));
        equal(1, get("minScore=1").count("/items"));
        equal(2, get("minScore=0.9").count("/items"));
        equal(3, get("minScore=0.7").count("/items"));
        equal(4, get("minScore=0").count("/items"));
        for (const auto* query : {"minScore=1.1", "minScore=nan", "minScore=-inf"}) equal(400, get(query).status, query);
    }

    TEST(leavesOutTheDeleted)
    {
        const auto a = add(R"("firstName":"A","emails":[{"address":"s@a.example"}])");
        add(R"("firstName":"B","emails":[{"address":"s@a.example"}])");
        add(R"("firstName":"C","emails":[{"address":"s@a.example"}])");
        client->del(owner, "/api/contacts/" + a);
        equal({"1 [email] B+C"}, pairs(get()));
    }

    TEST(leavesOutPublicHosts)
    {
        add(R"("firstName":"Ada","lastName":"Lovelace","emails":[{"address":"ada@gmail.com"}])");
        add(R"("firstName":"Ada","lastName":"Lovelace","emails":[{"address":"lovelace@gmail.com"}])");
        add(R"("firstName":"Ada","lastName":"Lovelace")");
        equal({}, pairs(get()));
        // A domain of very many is no better.
        for (int i = 0; i < 199; ++i)
            add(jsonWith(R"("firstName":"P$$","emails":[{"address":"p$@isp.example"}])", std::string(1, static_cast<char>('a' + i % 26)),
                         i * 7919, i));
        const auto twin = R"("firstName":"Zebulon","lastName":"Quimby","emails":[{"address":"z1@isp.example"}])";
        add(twin);
        const auto before = walk("limit=200");
        add(R"("firstName":"Zebulon","lastName":"Quimby","emails":[{"address":"z2@isp.example"}])");
        equal(0, walk("limit=200").size());
        CHECK(before.size() < 200 * 199 / 2);
    }

    TEST(pagesThroughAll)
    {
        // Groups that overlap in every way.
        for (int i = 0; i < 60; ++i)
        {
            std::string contact = jsonWith(R"("firstName":"Max$","lastName":"Mustermann","companyName":"C$")", i % 5, i % 4);
            if (i % 3 != 0)
                contact += jsonWith(R"(,"emails":[{"address":"m$@d$.example"},{"address":"n$@e.example"}])", i % 7, i % 2, i % 11);
            if (i % 4 != 1) contact += jsonWith(R"(,"phones":[{"number":"+491701000$"}])", 10 + i % 6);
            add(contact);
        }
        const auto whole = walk("limit=200");
        CHECK(whole.size() > 300);
        equal(whole.size(), std::set<std::string>(whole.begin(), whole.end()).size());
        for (const auto* query : {"limit=7", "limit=1", "limit=50"}) equal(whole, walk(query), query);
        // All that compare alike, and no others.
        CHECK(byComparingAll() == std::set<std::string>(whole.begin(), whole.end()));
    }

    TEST(goesOnAfterChanges)
    {
        Names ids;
        for (int i = 0; i < 6; ++i) ids.push_back(add(jsonWith(R"("firstName":"A$","emails":[{"address":"s@a.example"}])", i)));
        const auto page = get("limit=6");
        equal({"1 [email] A0+A1", "1 [email] A0+A2", "1 [email] A0+A3", "1 [email] A0+A4", "1 [email] A0+A5", "1 [email] A1+A2"},
              pairs(page));
        client->del(owner, "/api/contacts/" + ids[1]);
        client->del(owner, "/api/contacts/" + ids[4]);
        add(R"("firstName":"N","emails":[{"address":"s@a.example"}])");
        equal({"1 [email] A2+A3", "1 [email] A2+A5", "1 [email] A2+N", "1 [email] A3+A5", "1 [email] A3+N", "1 [email] A5+N"},
              pairs(get("limit=6&cursor=" + page.at("/nextCursor"))));
    }

    TEST(listsLargeGroupsByTheirOldest)
    {
        for (int i = 0; i < 130; ++i) add(jsonWith(R"("firstName":"A$","phones":[{"number":"+4917012345"}])", i * 7919 % 1000));
        const auto all = walk("limit=200");
        equal(129, all.size());
        equal(all, walk("limit=10"));
        std::set<std::string> oldest;
        for (const auto& pair : all) oldest.insert(pair.substr(0, pair.find('+')));
        equal(1, oldest.size());
    }

    TEST(findsLesserReasonsInLargeGroups)
    {
        // Two who are certainly the same among many who share the number of the switchboard.
        for (int i = 0; i < 25; ++i) add(jsonWith(R"("companyName":"X$","phones":[{"number":"+4917012345"}])", i * 7919 % 1000));
        for (int i = 0; i < 2; ++i) add(R"("firstName":"Ada","lastName":"King","companyName":"Acme","phones":[{"number":"+4917012345"}])");
        const auto all = pairs(get("limit=200"));
        equal(27, all.size());
        equal("0.9 [phone, name_and_company] Ada King+Ada King", all.back());
    }

    TEST(boundsItsCost)
    {
        // All pairs of a domain, in pages.
        for (int i = 0; i < 60; ++i)
            add(jsonWith(R"("firstName":"Maximilian","lastName":"Mustermann$","emails":[{"address":"m$@d.example"}])",
                         std::string(1, static_cast<char>('a' + i % 20)), i));
        const auto first = get("limit=200");
        equal(200, first.count("/items"));
        equal(std::size_t{60 * 59 / 2}, walk("limit=200").size());
        // A page that finds nothing ends.
        for (int i = 0; i < 1100; ++i)
        {
            const auto email = jsonWith(R"("emails":[{"address":"x$@y.example"}])", i);
            add(email);
            client->del(owner, "/api/contacts/" + add(email));
        }
        const auto vain = get("minScore=1");
        equal(0, vain.count("/items"));
        CHECK(vain.at("/nextCursor") != "null");
        equal("null", get("minScore=1&cursor=" + vain.at("/nextCursor")).at("/nextCursor"));
    }

    TEST(readsOwnOrganizationOnly)
    {
        // SQLite, which knows no sizes of tables, has walked all contacts for each group.
        if (database().dialect() != Dialect::SQLite)
        {
            std::cout << "\nnot looked at on PostgreSQL, which plans by the sizes of its tables";
            return;
        }
        auto session = database().session();
        for (const auto reason : {crm::DuplicateReason::Email, crm::DuplicateReason::Phone, crm::DuplicateReason::NameAndCompany,
                                  crm::DuplicateReason::MailDomain})
            for (Row row : session.query("EXPLAIN QUERY PLAN " + crm::DuplicateGroups::membersStatement(reason), "org_x", "a", "", "", 9))
            {
                const auto step = row.get<std::string>(3);
                CPPUNIT_ASSERT_MESSAGE(step, step.rfind("SCAN", 0) != 0);
                CPPUNIT_ASSERT_MESSAGE(step,
                                       step.find("organization_id=?)") == std::string::npos && step.find("id>?") == std::string::npos);
            }
    }

    TEST(agreesWithNewContacts)
    {
        const std::vector<std::string> contacts{
            R"("firstName":"Ada","emails":[{"address":"a@corp.example"}],"phones":[{"number":"+49170100001"}])",
            R"("firstName":"Adah","emails":[{"address":"b@corp.example"}],"phones":[{"number":"+49170100002"}])",
            R"("firstName":"Bert","emails":[{"address":"a@corp.example"}])",
            R"("firstName":"Ada","companyName":"Corp","phones":[{"number":"+49170100001"}])", R"("firstName":"ADA","companyName":"corp")"};
        std::set<std::string> told, listed;
        for (const auto& contact : contacts)
        {
            const auto made = created("{" + contact + "}");
            clock().advance(std::chrono::milliseconds(1));
            for (const auto& other : arrayAt(made, "/possibleDuplicates"))
                told.insert(std::string(other.at("id").as_string()) + '+' + made.at("/id") + json::serialize(other.at("matchedOn")));
        }
        const auto list = get();
        for (const auto& pair : arrayAt(list, "/items"))
            listed.insert(std::string(pair.at("contacts").at(0).at("id").as_string()) + '+' +
                          std::string(pair.at("contacts").at(1).at("id").as_string()) + json::serialize(pair.at("matchedOn")));
        equal(4, told.size());
        CHECK(told == listed);
    }

    TEST(keepsOrganizationsApart)
    {
        add(R"("firstName":"A","emails":[{"address":"s@a.example"}])");
        client->post(stranger, "/api/contacts", R"({"firstName":"S","emails":[{"address":"s@a.example"}]})");
        equal({}, pairs(get()));
        equal({}, pairs(client->get(stranger, "/api/contacts/duplicates")));
    }

    TEST(refusesWhatItDoesNotKnow)
    {
        for (const auto* query : {"minScore=2", "minScore=-1", "minScore=x", "limit=0", "score=1", "cursor=x", "include=total"})
            equal(400, get(query).status, query);
        const auto nobody = testing::userOf(owner.organizationId, {"crm.notes:read"});
        equal(403, client->get(nobody, "/api/contacts/duplicates").status);
    }

    std::string add(const std::string& members)
    {
        clock().advance(std::chrono::milliseconds(1));
        return created("{" + members + "}").at("/id");
    }
    Answer show(const std::string& id) const { return client->get(owner, "/api/contacts/" + id); }
    Answer get(const std::string& query = {}) const { return client->get(owner, "/api/contacts/duplicates?" + query); }

    /// `score [reasons] first+second` of each pair.
    static Names pairs(const Answer& answer)
    {
        equal(200, answer.status, answer.body);
        Names found;
        for (const auto& pair : arrayAt(answer, "/items"))
        {
            std::string reasons;
            for (const auto& reason : pair.at("matchedOn").as_array())
                reasons += (reasons.empty() ? "" : ", ") + std::string(reason.as_string());
            auto score = std::to_string(pair.at("score").to_number<double>());
            score.erase(score.find_last_not_of('0') + 1);
            if (score.back() == '.') score.pop_back();
            found.push_back(score + " [" + reasons + "] " + std::string(pair.at("contacts").at(0).at("displayName").as_string()) + '+' +
                            std::string(pair.at("contacts").at(1).at("displayName").as_string()));
        }
        return found;
    }

    /// `first+second`, by id, of all pages.
    Names walk(const std::string& query) const
    {
        Names all;
        std::string cursor;
        for (int page = 0; page < 2000; ++page)
        {
            const auto answer = get(query + cursor);
            equal(200, answer.status, answer.body);
            for (const auto& pair : arrayAt(answer, "/items"))
                all.push_back(std::string(pair.at("contacts").at(0).at("id").as_string()) + '+' +
                              std::string(pair.at("contacts").at(1).at("id").as_string()));
            if (answer.at("/nextCursor") == "null") return all;
            cursor = "&cursor=" + answer.at("/nextCursor");
        }
        CPPUNIT_FAIL("The pages do not end");
        return all;
    }

    std::set<std::string> byComparingAll() const
    {
        std::vector<crm::Contact> contacts;
        auto session = database().session();
        for (Row row : session.query("SELECT document FROM contact ORDER BY id"))
        {
            auto contact = fromJson<crm::Contact>(row.text(0));
            contact.id = *crm::ContactId::parse(json::parse(std::string(row.text(0))).at("id").as_string());
            for (auto& phone : contact.phones) phone.e164 = phone.number;
            contacts.push_back(std::move(contact));
        }
        std::set<std::string> alike;
        for (std::size_t i = 0; i < contacts.size(); ++i)
            for (std::size_t k = i + 1; k < contacts.size(); ++k)
                if (crm::compareContacts(contacts[i], contacts[k]).score > 0)
                    alike.insert(contacts[i].id.text() + '+' + contacts[k].id.text());
        return alike;
    }
};

} // namespace portico::tests
