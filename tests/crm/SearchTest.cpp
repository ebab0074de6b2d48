#include "crm/CrmFixture.h"
#include "support/Together.h"

#include "contacts/ContactList.h"
#include "contacts/MissingWords.h"
#include "imports/TableStatistics.h"
#include "search/ContactText.h"
#include "text/FoldedText.h"
#include "text/SearchWords.h"

#include "portico/Text.h"

#include <set>

namespace portico::tests
{

namespace json = boost::json;

/// Words of queries and of texts.
class SearchWordsTest : public Suite<SearchWordsTest>
{
    TEST(takesQueriesApart)
    {
        equal({"ada", "lovelace"}, crm::searchWords("  Ada \t LOVELACE ada "));
        equal({"angstrom"}, crm::searchWords("Ångström"));
        equal({"491701234"}, crm::searchWords("+49 (170) 12-34"));
        equal({"1701234"}, crm::searchWords("0170/1234"));
        equal({"0"}, crm::searchWords("000"));
        equal({"12"}, crm::searchWords("12"));
        equal({"12", "ab"}, crm::searchWords("12 ab"));
        equal({}, crm::searchWords(" \n "));
        equal({}, crm::searchWords(""));
    }

    TEST(findsBeginnings)
    {
        equal({"ada", "king"}, crm::wordKeys("ada king\nada"));
        equal({"'neill-king", "-king", "king", "neill-king", "o'neill-king"}, crm::wordKeys("o'neill-king"));
        equal({"@mail.example.com", "ada.king@mail.example.com", "example.com", "king@mail.example.com", "mail.example.com"},
              crm::wordKeys("ada.king@mail.example.com"));
        equal({"a.com", "com"}, crm::wordKeys("a.com"));
        equal({"491701"}, crm::wordKeys("491701"));
        equal({"小明", "明", "王小明"}, crm::wordKeys("王小明"));
        equal({"ελενη"}, crm::wordKeys("ελενη"));
        equal({}, crm::wordKeys(" \n\t"));
        // Only the first beginnings of a text with very many are indexed.
        equal(64, crm::wordKeys(manyWords()).size());
        // Truncated at a character boundary.
        equal({std::string(32, 'x')}, crm::wordKeys(std::string(100, 'x')));
        equal({std::string(31, 'x')}, crm::wordKeys(std::string(31, 'x') + "ß"));
    }

    TEST(knowsBeginnings)
    {
        CHECK(crm::beginsWord("johanna anna-maria", "anna"));
        CHECK(crm::beginsWord("johanna anna-maria", "mar"));
        CHECK(!crm::beginsWord("johanna", "anna"));
        CHECK(!crm::beginsWord("a@b.example", "example"));
        CHECK(crm::beginsWord("a@b.example.com", "example.c"));
        CHECK(!crm::beginsWord("", "a"));
        CHECK(crm::beginsWord(manyWords(), "w63"));
        CHECK(!crm::beginsWord(manyWords(), "w64"));
        CHECK(crm::isShortWord("ä1"));
        CHECK(!crm::isShortWord("äöü"));
    }

    static std::string manyWords()
    {
        std::string text;
        for (int i = 0; i < 80; ++i) text += "w" + std::to_string(i) + ' ';
        return text;
    }

    /// A word begins the text exactly if its key leads to a key of the text.
    TEST(agreesWithItself)
    {
        const std::string text = "dr. ada king-noel\nking\nacme gmbh & co\nada.king@sub.acme.example\n491701234567\n王小明";
        const auto keys = crm::wordKeys(text);
        for (std::size_t from = 0; from < text.size(); ++from)
            for (std::size_t size = 1; size < 20 && from + size <= text.size(); ++size)
            {
                const auto word = text.substr(from, size);
                if (word.find_first_of(" \n") != std::string::npos || (static_cast<unsigned char>(word[0]) & 0xc0) == 0x80) continue;
                const auto found = std::lower_bound(keys.begin(), keys.end(), word);
                equal(found != keys.end() && found->starts_with(word), crm::beginsWord(text, word), word);
            }
    }
};

/// Parameter `q` of GET /api/contacts: matches, order and pages.
class SearchTest : public Suite<SearchTest, CrmFixture>
{
    TEST(givesBeginningsFirst)
    {
        for (const auto* name : {"Johanna", "Annabel", "Hannah", "Anna", "Ann-Kathrin", "Mary Ann", "Susanne"}) newContact(name);
        equal({"Mary Ann", "Ann-Kathrin", "Anna", "Annabel", "Johanna", "Hannah", "Susanne"}, names("q=ann"));
        equal({"Anna", "Annabel", "Johanna", "Hannah"}, names("q=Anna"));
    }

    TEST(sortsEqualWordsByName)
    {
        for (const auto* name : {"Zoe Smith", "adam Smith", "Ärne Smith", "Bert Smith", "Smithers", "A Goldsmith"}) newContact(name);
        equal({"adam Smith", "Ärne Smith", "Bert Smith", "Zoe Smith", "Smithers", "A Goldsmith"}, names("q=smith"));
    }

    TEST(ranksSeveralWords)
    {
        for (const auto* name : {"Johanna Goldschmidt", "Anna Goldschmidt", "Johanna Schmidt", "Anna Schmidt", "Annabel Schmidtke", "Anna"})
            newContact(name);
        const auto found = names("q=schmidt+anna");
        equal({"Anna Schmidt", "Annabel Schmidtke"}, Names(found.begin(), found.begin() + 2));
        equal(5, found.size());
        equal(found, names("q=anna+schmidt+anna"));
    }

    TEST(listsAContactOnce)
    {
        created(R"({"firstName":"Anna","lastName":"Annason","nickname":"Anni","companyName":"Annex",
            "emails":[{"address":"anna@annex.example"},{"address":"ann@annex.example"}]})");
        newContact("Anna");
        for (const auto* query : {"q=ann&limit=1", "q=anna", "q=a&limit=1", "q=nn&limit=1", "q=nne"})
        {
            const auto ids = walk(query);
            equal(ids.size(), std::set<std::string>(ids.begin(), ids.end()).size(), query);
        }
        equal(2, walk("q=ann&limit=1").size());
    }

    TEST(findsShortWordsAtBeginnings)
    {
        for (const auto* name : {"Li Wei", "Olivia", "Xi-Li", "Ada"}) newContact(name);
        equal({"Li Wei", "Xi-Li"}, names("q=li"));
        equal({"Li Wei", "Xi-Li"}, names("q=L"));
        equal({"Li Wei"}, names("q=w+li"));
        equal({}, names("q=iv"));
        // Applies to every order.
        equal({"Xi-Li", "Li Wei"}, names("q=li&sort=-displayName"));
        equal({}, names("q=iv&sort=displayName"));
        equal({"Olivia"}, names("q=ivi"));
    }

    TEST(findsPartsOfAddresses)
    {
        created(R"({"firstName":"A","emails":[{"address":"Ada.King@Mail.B\u00fccher.example"}]})");
        created(R"({"firstName":"B","emails":[{"address":"b@other.example"}]})");
        for (const auto* query :
             {"q=ada.king%40mail.b%C3%BCcher.example", "q=king%40", "q=%40mail", "q=b%C3%BCch", "q=xn--bcher", "q=ing%40mai", "q=ada+king"})
            equal({"A"}, names(query), query);
        equal(2, names("q=example").size());
        equal(2, names("q=.exam").size());
    }

    TEST(findsNamesWithoutSpaces)
    {
        newContact("王小明");
        newContact("김철수");
        newContact("やまだ");
        equal({"王小明"}, names("q=%E5%B0%8F%E6%98%8E")); // 小明
        equal({"王小明"}, names("q=%E6%98%8E"));          // 明
        equal({"김철수"}, names("q=%EC%B2%A0%EC%88%98")); // 철수
        equal({"やまだ"}, names("q=%E3%81%BE"));          // ま
    }

    TEST(keepsAskedSorts)
    {
        for (const auto* name : {"Johanna", "Anna B", "Zanna", "Anna A"})
        {
            newContact(name);
            clock().advance(std::chrono::milliseconds(1));
        }
        equal({"Anna A", "Anna B", "Johanna", "Zanna"}, names("q=anna&sort=displayName"));
        equal({"Anna A", "Zanna", "Anna B", "Johanna"}, names("q=anna&sort=-createdAt"));
        equal({"Anna A", "Anna B", "Johanna", "Zanna"}, names("q=anna"));
        // The cursor of one order is none of another.
        const auto cursor = list("q=anna&limit=1").at("/nextCursor");
        equal(400, list("q=anna&limit=1&sort=displayName&cursor=" + cursor).status);
    }

    TEST(pagesThroughAll)
    {
        const Names parts{"anna", "johanna", "annabel", "ann", "hann", "lee", "bo"};
        for (int i = 0; i < 90; ++i)
        {
            const auto first = parts[static_cast<std::size_t>(i) % 7], last = parts[static_cast<std::size_t>(i / 7) % 7];
            created(jsonWith(R"({"firstName":"$","lastName":"$",)"
                             R"("companyName":"$"})",
                             first, last, parts[static_cast<std::size_t>(i / 3) % 7]));
        }
        for (const auto* query : {"q=ann", "q=ann+lee", "q=b", "q=hann", "q=an+bo+lee", "q=nna", "q=ann+jo", "q=abel+han"})
        {
            const auto whole = walk(std::string(query) + "&limit=200");
            CPPUNIT_ASSERT_MESSAGE(query, !whole.empty());
            equal(whole.size(), std::set<std::string>(whole.begin(), whole.end()).size());
            for (const auto* limit : {"&limit=1", "&limit=7", "&limit=64"}) equal(whole, walk(std::string(query) + limit), query);
            // The same contacts as in another order.
            auto sorted = walk(std::string(query) + "&limit=200&sort=displayName");
            equal(std::set<std::string>(whole.begin(), whole.end()).size(), sorted.size());
            CHECK(std::set<std::string>(whole.begin(), whole.end()) == std::set<std::string>(sorted.begin(), sorted.end()));
        }
    }

    TEST(pagesWhileContactsAreAdded)
    {
        std::set<std::string> before;
        for (int i = 0; i < 40; ++i) before.insert(newContact((i % 3 == 0 ? "Johanna " : "Anna ") + std::to_string(i * 37 % 40)));
        std::jthread writer(
            [&](const std::stop_token& stop)
            {
                for (int i = 0; !stop.stop_requested(); ++i)
                    client->post(owner, "/api/contacts", jsonWith(R"({"firstName":"Anna $x"})", i % 50));
            });
        const auto seen = walk("q=anna&limit=3", 400);
        writer.request_stop();
        writer.join();
        const std::set<std::string> ids(seen.begin(), seen.end());
        equal(seen.size(), ids.size(), "nothing twice");
        CPPUNIT_ASSERT_MESSAGE("nothing left out", std::includes(ids.begin(), ids.end(), before.begin(), before.end()));
    }

    TEST(filtersAndCounts)
    {
        for (int i = 0; i < 10; ++i)
            created(jsonWith(R"({"firstName":"$","lastName":"N$","tags":["t$"]})", std::string(i % 2 == 0 ? "Anna" : "Johanna"), i, i % 5));
        equal({"Anna N0", "Johanna N5"}, names("q=anna&tag=t0"));
        equal({"Anna N0"}, names("q=anna&tag=t0&limit=1"));
        const auto page = list("q=anna&limit=3&include=total");
        equal("10", page.at("/total"));
        equal("10", list("q=anna&limit=3&include=total&cursor=" + page.at("/nextCursor")).at("/total"));
        equal("5", list("q=an&include=total").at("/total"));
        equal(jsonWith(R"({"id":"$","lastName":"N0"})", page.at("/items/0/id")), list("q=anna&limit=1&fields=lastName").at("/items/0"));
    }

    TEST(followsChanges)
    {
        const auto id = created(R"({"firstName":"Anna","companyName":"Acme","phones":[{"number":"+49 170 1234567"}]})").at("/id");
        const auto path = "/api/contacts/" + id;
        client->put(owner, path, R"({"firstName":"Berta"})");
        equal({}, names("q=anna"));
        equal({}, names("q=an"));
        for (const auto* query : {"q=berta", "q=be", "q=ert", "q=acme", "q=acme+be", "q=1701234"}) equal({"Berta"}, names(query), query);
        client->put(owner, path, R"({"companyName":"Other","phones":[],"lastName":"Ångström"})");
        equal({}, names("q=acme"));
        equal({}, names("q=1701234"));
        equal({"Berta Ångström"}, names("q=ang+oth"));
        client->put(owner, path, R"({"jobTitle":"x"})");
        equal({"Berta Ångström"}, names("q=an+o+be"));
        checkWords();
    }

    TEST(findsTheDeleted)
    {
        const auto id = newContact("Anna");
        newContact("Annabel");
        client->del(owner, "/api/contacts/" + id);
        equal({"Annabel"}, names("q=ann"));
        equal({"Anna"}, names("q=ann&archived=true"));
        equal({"Anna"}, names("q=nna&archived=true"));
        client->post(owner, "/api/contacts/" + id + "/restore", "");
        equal({"Anna", "Annabel"}, names("q=ann"));
    }

    TEST(forgetsTheErased)
    {
        const auto purger = withPermission(owner, "crm.contacts:purge");
        const auto id = created(R"({"firstName":"Anna","lastName":"O'Neill","emails":[{"address":"a.b@c.example"}]})").at("/id");
        client->put(owner, "/api/contacts/" + id, R"({"lastName":"King","displayName":"Zoe"})");
        equal(200, client->del(purger, "/api/contacts/" + id + "?permanent=true").status);
        auto session = database().session();
        for (const auto* table : {"contact_word", "contact_text"})
            equal(0, *session.value<std::int64_t>("SELECT count(*) FROM " + std::string(table)));
    }

    TEST(findsVeryLongWords)
    {
        const std::string word = std::string(40, 'a') + "b", other = std::string(40, 'a') + "c";
        newContact(word);
        newContact(other);
        newContact("x" + word);
        equal({word, "x" + word}, names("q=" + word));
        equal({other}, names("q=" + other));
        equal({word, other, "x" + word}, names("q=" + std::string(35, 'a')));
    }

    TEST(keepsOrganizationsApart)
    {
        newContact("Anna");
        client->post(stranger, "/api/contacts", R"({"firstName":"Annabel"})");
        for (const auto* query : {"q=a", "q=ann", "q=nna", "q=ann&sort=displayName", "q=an&sort=displayName"})
        {
            equal({"Anna"}, names(query), query);
            const auto foreign = client->get(stranger, "/api/contacts?" + std::string(query));
            equal(1, foreign.count("/items"));
        }
    }

    /// Contacts from before there was a table of words.
    TEST(addsMissingWords)
    {
        for (int i = 0; i < 620; ++i) newContact("Anna" + std::to_string(i));
        forgetWords();
        // The contacts are found before the job has run, but not in order.
        equal(620, walk("q=anna&limit=200").size());
        equal(0, waitingForWords());
        for (int twice = 0; twice < 2; ++twice) crm::requestMissingWords(host->context());
        equal(1, waitingForWords());
        host->context().jobs().runDue();
        equal({}, host->context().jobs().failures());
        crm::requestMissingWords(host->context());
        equal(0, waitingForWords());
        equal(620, walk("q=anna&limit=200").size());
        equal({"Anna0", "Anna1", "Anna10"}, names("q=anna&limit=3"));
        equal(620, walk("q=an&limit=200").size());
    }

    TEST(addsWordsWhileContactsChange)
    {
        const auto purger = withPermission(owner, "crm.contacts:purge");
        Names paths;
        for (int i = 0; i < 200; ++i) paths.push_back("/api/contacts/" + newContact("Anna" + std::to_string(i) + " King"));
        forgetWords();
        runTogether(3,
                    [&](int who)
                    {
                        if (who == 0) addMissingWords();
                        for (auto path = paths.rbegin(); who == 1 && path != paths.rend(); ++path)
                            client->put(owner, *path, R"({"lastName":"Noel-King"})");
                        for (std::size_t i = 0; who == 2 && i < paths.size(); i += 5) client->del(purger, paths[i] + "?permanent=true");
                    });
        // Adds the words of contacts that a writer had locked during the job.
        addMissingWords();
        checkWords();
        equal(160, walk("q=king+anna&limit=200").size());
        equal(160, walk("q=noel&limit=200").size());
    }

    TEST(addsManyAtOnce)
    {
        std::vector<crm::ContactText> entries;
        for (int i = 0; i < 30; ++i) entries.push_back({crm::ContactId(*crm::ContactId::parse(newContact())), "ada " + std::to_string(i)});
        entries[3].text.clear();
        entries[4].text = "王小明\nada";
        database().transact(
            [&](Transaction& transaction)
            {
                for (const auto& entry : entries) crm::removeText(transaction, owner.tenant(), entry.id);
                crm::addTexts(transaction, owner.tenant(), entries);
                crm::addTexts(transaction, owner.tenant(), {});
            });
        checkWords();
        equal(29, walk("q=ada").size());
        equal(entries[4].id.text(), walk("q=%E6%98%8E").at(0));
        equal(entries[7].id.text(), walk("q=7").at(0));
    }

    TEST(findsAnyApostropheAndHyphen)
    {
        newContact("Siobhan O\u2019Brien");
        newContact("Dino D'Angelo");
        newContact("Jean\u2010Luc Picard");
        newContact("Maria Obrien");
        created(R"({"firstName":"Zed","companyName":"Lloyd`s","emails":[{"address":"o'hara@my-shop.example"}],)"
                R"("phones":[{"number":"+49 170 1234567"}]})");
        const auto found = [&](std::string_view query, Names expected)
        {
            for (const auto* sort : {"", "&sort=displayName"})
            {
                auto all = names("q=" + encode(query) + sort);
                std::sort(all.begin(), all.end());
                equal(expected, all, std::string(query) + sort);
            }
        };
        for (const auto* query : {"o'brien", "O\u2019Brien", "o\u02bcbrien", "obrien", "o\u00b4bri", "o\u200b'brien"})
            found(query, {"Maria Obrien", "Siobhan O\u2019Brien"});
        found("siobhan o'b", {"Siobhan O\u2019Brien"});
        for (const auto* query : {"d\u2019angelo", "d'angelo", "dangelo", "angelo", "'angelo"}) found(query, {"Dino D'Angelo"});
        for (const auto* query :
             {"jean-luc", "jean\u2010luc", "jean\u2011luc", "jean\u2013luc", "jeanluc", "jean luc", "luc", "jean\u00adluc"})
            found(query, {"Jean\u2010Luc Picard"});
        for (const auto* query : {"lloyd's", "lloyds", "o\u2019hara@my", "my-shop", "my\u2011shop", "myshop", "0170\u2013123\u20114567"})
            found(query, {"Zed"});
    }

    /// Contacts that an earlier version stored.
    TEST(storedTextsAreFoldedAgain)
    {
        for (int i = 0; i < 130; ++i) storeAsBefore("Nora" + std::to_string(i) + " O\u2019Neil");
        storeAsBefore("Jean\u2010Luc");
        equal(0, walk("q=o'neil").size());
        crm::requestMissingWords(host->context());
        host->context().jobs().runDue();
        equal({}, host->context().jobs().failures());
        equal(130, walk("q=o'neil&limit=50").size());
        equal(130, walk("q=oneil&limit=50&sort=displayName").size());
        equal({"Jean\u2010Luc"}, names("q=jean-luc"));
        checkWords();
        auto session = database().session();
        equal("jean-luc", *session.value<std::string>("SELECT sort_name FROM contact WHERE sort_name LIKE 'jean%'"));
        equal(0, *session.value<std::int64_t>("SELECT count(*) FROM contact_text WHERE folding < 1"));
        crm::requestMissingWords(host->context());
        equal(0, waitingForWords());
    }

    TEST(changesTextsOfAnOlderFolding)
    {
        const auto purger = withPermission(owner, "crm.contacts:purge");
        const auto changed = storeAsBefore("Nora O\u2019Neil"), erased = storeAsBefore("Nils O\u2019Neil");
        equal(200, client->put(owner, "/api/contacts/" + changed, R"({"nickname":"Non"})").status);
        equal(200, client->del(purger, "/api/contacts/" + erased + "?permanent=true").status);
        checkWords();
        equal({"Nora O\u2019Neil"}, names("q=oneil"));
    }

    static constexpr std::string_view ownerOfMany = "usr_00000000000000000000000001";

    /// A search does not read all that has a common word for the few of them that a filter lets through.
    TEST(boundsItsWork)
    {
        const crm::ContactStore store;
        std::string wanted;
        for (int i = 0; i < 14; ++i)
            database().transact(
                [&](Transaction& transaction)
                {
                    for (int k = 0; k < 500; ++k)
                    {
                        crm::Contact contact;
                        const bool last = i == 13 && k >= 498;
                        contact.displayName = contact.firstName =
                            (k % 2 == 0 ? "Anna" : "Johanna") + std::string(last ? "z" : "") + std::to_string(i * 500 + k);
                        contact.createdAt = contact.updatedAt = clock().now();
                        contact.source = crm::ContactSource::Manual;
                        contact.id = crm::ContactId::make(contact.createdAt);
                        if (last) contact.lifecycle = crm::Lifecycle::Customer;
                        if (i < 3) contact.ownerUserId = crm::UserId::parse(ownerOfMany);
                        if (k == 498) wanted = contact.id.text();
                        store.insert(transaction, owner.tenant(), contact);
                    }
                });
        // Refreshes the statistics, like after a large import.
        crm::refreshStatistics(database());
        for (const auto* query : {"q=anna&lifecycle=customer", "q=a&lifecycle=customer", "q=ann&lifecycle=customer&limit=1"})
        {
            const auto first = list(query);
            CPPUNIT_ASSERT_MESSAGE(query, first.count("/items") == 0);
            CPPUNIT_ASSERT_MESSAGE(query, first.at("/nextCursor") != "null");
            equal(wanted, walk(query).at(0), query);
        }
        equal(2, walk("q=anna&lifecycle=customer").size());
        // Nothing comes twice or is lost where a page ends early.
        const auto all = walk("q=anna&limit=200");
        equal(7000, all.size());
        equal(7000, std::set<std::string>(all.begin(), all.end()).size());
        // A search without a match ends immediately.
        equal("null", list("q=zzq").at("/nextCursor"));
        checkSorted();
        checkPlans();
    }

    static std::string planOf(Session& session, Tenant tenant, const crm::ContactFilter& filter)
    {
        const auto words = crm::searchWords(filter.q);
        const auto plan = crm::searchPlanOf(session, tenant, filter, words, {});
        return std::string(plan ? plan->name() : "none");
    }

    /// Names the plan of each kind of query: 1,500 contacts have `ownerOfMany`, and none has the other owner.
    void checkPlans()
    {
        crm::ContactFilter word, sorted, both, none;
        word.q = sorted.q = both.q = "anna";
        sorted.sort = both.sort = none.sort = crm::ContactSort::DisplayName;
        both.tag = {"vip"};
        auto many = word, few = word, some = word, known = word;
        many.ownerUserId = {crm::UserId::parse(ownerOfMany).value()};
        few.ownerUserId = {crm::UserId::parse("usr_00000000000000000000000002").value()};
        some.lifecycle = {crm::Lifecycle::Customer};
        known.id = {crm::ContactId::make(clock().now())};
        auto session = database().session();
        const auto chosen = [&](const crm::ContactFilter& filter) { return planOf(session, owner.tenant(), filter); };
        equal("words_first", chosen(word));
        equal("words_first", chosen(some));
        equal("words_first", chosen(many));
        equal("filters_first", chosen(few));
        equal("filters_first", chosen(known));
        equal("sorted_walk", chosen(sorted));
        equal("none", chosen(both));
        equal("none", chosen(none));
    }

    /// Common words are searched in the order of the sort, rare ones through the index. Both find all contacts in order, and accept each
    /// other's cursors.
    void checkSorted()
    {
        for (const auto* sort : {"displayName", "-updatedAt"})
        {
            const auto common = walk(std::string("q=anna&limit=200&sort=") + sort);
            equal(7000, std::set<std::string>(common.begin(), common.end()).size(), sort);
            equal(7000, common.size(), sort);
            // In the last hundred by name, and of them only a part.
            const auto rare = walk(std::string("q=annaz&limit=1&sort=") + sort);
            equal(2, rare.size(), sort);
            const auto place = [&](const std::string& id) { return std::find(common.begin(), common.end(), id); };
            CPPUNIT_ASSERT_MESSAGE(sort, place(rare[0]) < place(rare[1]));
        }
        const auto some = walk("q=johanna69&limit=7&sort=-displayName");
        equal(55, some.size());
        CHECK(walk("q=zzq&sort=displayName").empty());
    }

    /// Every query finds the same contacts as a full scan.
    TEST(agreesWithALook)
    {
        const Names members{"Ada",   "King", "O'Neill-Smith", "Jo", "Ann", "Ångström", "Li", "a.b@c-d.example", "x_y@mail.test.example",
                            "王小明"};
        std::vector<std::pair<std::string, std::string>> texts;
        for (std::size_t i = 0; i < 60; ++i)
        {
            const auto first = members[i % 7], last = members[(i * 3 + 1) % 10], company = members[(i * 7 + i / 9) % 10];
            const auto mail = members[7 + i % 2];
            json::object contact{{"firstName", first},
                                 {"lastName", last},
                                 {"companyName", company},
                                 {"emails", json::array{json::object{{"address", mail}}}}};
            const auto id = created(json::serialize(contact)).at("/id");
            const auto text = fold(first + ' ' + last) + '\n' + fold(company) + '\n' + mail;
            texts.emplace_back(id, text + '\n' + crm::withoutMarks(text));
        }
        for (const auto* query : {"a",        "ad",    "ada",  "da",  "king", "ing",      "neill",      "eil",     "o'n",
                                  "smith jo", "an li", "@c-d", "c-d", "-d.",  "y@mail",   "test.ex",    "example", "xample ada",
                                  "小明",     "明",    "王",   "ang", "ngs",  "ada king", "li ada ann", "_y"})
        {
            std::set<std::string> expected;
            for (const auto& [id, text] : texts)
            {
                const auto words = crm::searchWords(query);
                const auto fits =
                    std::all_of(words.begin(), words.end(),
                                [&, &t = text](const auto& word)
                                { return crm::isShortWord(word) ? crm::beginsWord(t, word) : t.find(word) != std::string::npos; });
                if (fits) expected.insert(id);
            }
            std::string encoded;
            for (const char c : std::string_view(query))
            {
                char hex[4];
                std::snprintf(hex, sizeof hex, "%%%02X", static_cast<unsigned>(static_cast<unsigned char>(c)));
                encoded += hex;
            }
            for (const auto* sort : {"", "&sort=lastName"})
            {
                const auto found = walk("q=" + encoded + "&limit=13" + sort);
                CPPUNIT_ASSERT_MESSAGE(std::string(query) + sort, expected == std::set<std::string>(found.begin(), found.end()));
                equal(expected.size(), found.size());
            }
        }
    }

    static std::string encode(std::string_view text)
    {
        constexpr std::string_view digits = "0123456789ABCDEF";
        std::string encoded;
        for (const unsigned char c : text) ((encoded += '%') += digits[c >> 4]) += digits[c & 15];
        return encoded;
    }

    /// A contact as it was stored before apostrophes and hyphens were folded.
    std::string storeAsBefore(std::string_view name) const
    {
        const auto id = newContact(name);
        const auto before = foldCase(name);
        database().transact(
            [&](Transaction& transaction)
            {
                const crm::ContactId contact(*crm::ContactId::parse(id));
                crm::removeText(transaction, owner.tenant(), contact);
                crm::addTexts(transaction, owner.tenant(), {{contact, before}});
                transaction.execute("UPDATE contact_text SET folding = 0 WHERE contact_id = $1", contact);
                transaction.execute("UPDATE contact SET sort_name = $2, folded_name = $2 WHERE id = $1", contact, before);
            });
        return id;
    }

    void forgetWords() const
    {
        database().transact(
            [](Transaction& transaction)
            {
                transaction.execute("DELETE FROM contact_word");
                transaction.execute("UPDATE contact_text SET has_words = FALSE");
            });
    }

    void addMissingWords() const
    {
        const auto addSome = [](Transaction& transaction) { return crm::addMissingWords(transaction); };
        while (database().transact(addSome) > 0) {}
    }

    /// The table of words has those of the texts and no others.
    void checkWords() const
    {
        auto session = database().session();
        Names expected, found;
        for (Row row : session.query(session.dialect() == Dialect::SQLite
                                         ? "SELECT t.row_id, g.text FROM contact_text t JOIN contact_trigram g ON g.rowid = t.row_id"
                                         : "SELECT row_id, text FROM contact_text"))
        {
            const auto text = row.get<std::string>(1);
            for (const auto& word : crm::wordKeys(text))
                expected.push_back(word + '|' + std::string(crm::searchName(text)) + '|' + std::to_string(row.get<std::int64_t>(0)));
        }
        for (Row row : session.query("SELECT word, name, row_id FROM contact_word"))
            found.push_back(row.get<std::string>(0) + '|' + row.get<std::string>(1) + '|' + std::to_string(row.get<std::int64_t>(2)));
        std::sort(expected.begin(), expected.end());
        std::sort(found.begin(), found.end());
        equal(expected, found);
    }

    std::size_t waitingForWords() const { return host->context().jobs().waiting(crm::missingWordsJob).size(); }

    /// Ids of all pages, in their order.
    Names walk(const std::string& query, int most = 2000) const
    {
        Names ids;
        std::string cursor;
        while (most-- > 0)
        {
            const auto page = list(query + cursor);
            equal(200, page.status, page.body);
            for (const auto& item : arrayAt(page, "/items")) ids.emplace_back(item.at("id").as_string());
            if (page.at("/nextCursor") == "null") break;
            cursor = "&cursor=" + page.at("/nextCursor");
        }
        return ids;
    }
};

} // namespace portico::tests
