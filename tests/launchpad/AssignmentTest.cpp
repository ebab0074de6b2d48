#include "launchpad/LaunchpadFixture.h"

#include "installs/Availability.h"

#include <map>
#include <random>
#include <string>

namespace portico::tests
{

/// Rules about apps, and which of them hold.
class AssignmentTest : public Suite<AssignmentTest, LaunchpadFixture>
{
    std::string assign(const std::string& service, const std::string& subject, const std::string& mode) const
    {
        return made(post(admin, "/api/assignments", body(service, subject, mode))).at("/id");
    }
    static std::string body(const std::string& service, const std::string& subject, const std::string& mode)
    {
        return jsonWith(R"({"service_id":"$","subject":$,"mode":"$"})", service, subject, mode);
    }
    static std::string user(const Caller& caller) { return jsonWith(R"({"type":"user","id":"$"})", caller.principalId); }

    TEST(makesChangesAndRemovesRules)
    {
        const auto rule = post(admin, "/api/assignments", body("crm", user(member), "required"));
        equal(201, rule.status);
        equal(member.principalId, rule.at("/subject/id"));
        equal(organization, rule.at("/organizationId"));
        equal(admin.principalId, rule.at("/createdBy"));
        const auto target = "/api/assignments/" + rule.at("/id");
        const auto changed = made(patch(admin, target, R"({"mode":"blocked"})"));
        equal("blocked", changed.at("/mode"));
        equal("2", changed.at("/version"));
        testing::TestRequest stale{Method::Patch, target, R"({"mode":"optional"})", {{"If-Match", "\"1\""}}, admin};
        refused(host->call(stale), 412, "version_conflict");
        equal(1, get(admin, "/api/assignments?service_id=crm&userId=" + member.principalId).count("/items"));
        for (const auto* none : {"service_id=social", "service_id=", "userId="})
            equal(0, made(get(admin, std::string("/api/assignments?") + none)).count("/items"), none);
        refused(patch(stranger, target, R"({"mode":"optional"})"), 404, "not_found");
        equal(204, del(admin, target).status);
        refused(del(admin, target), 404, "not_found");
    }

    TEST(refusesRules)
    {
        assign("crm", R"({"type":"everyone"})", "required");
        refused(post(admin, "/api/assignments", body("crm", R"({"type":"everyone"})", "optional")), 409, "assignment_exists");
        refused(post(admin, "/api/assignments", body("crm", user(stranger), "required")), 404, "subject_not_in_org");
        refused(post(admin, "/api/assignments", body("crm", R"({"type":"role","id":"king"})", "required")), 400, "validation_failed");
        refused(post(admin, "/api/assignments", body("nothing", user(member), "required")), 400, "validation_failed");
        refused(post(admin, "/api/assignments", body("launchpad", user(member), "blocked")), 400, "validation_failed");
        registry.add("identity").surfaceKind = "internal";
        refused(post(admin, "/api/assignments", body("identity", R"({"type":"everyone"})", "blocked")), 400, "validation_failed");
        refused(post(admin, "/api/assignments", body("crm", user(member), "maybe")), 400, "validation_failed");
        for (const auto* caller : {&member, &guest})
        {
            refused(post(*caller, "/api/assignments", body("crm", user(member), "required")), 403, "permission_denied");
            refused(get(*caller, "/api/assignments"), 403, "permission_denied");
        }
        refused(get(newKey({"apps.write"}), "/api/assignments"), 403, "insufficient_scope");
        equal(200, get(newKey({"apps.read"}), "/api/assignments").status);
    }

    TEST(theStrongestModeHolds)
    {
        const auto everyone = assign("crm", R"({"type":"everyone"})", "blocked");
        const auto role = assign("crm", R"({"type":"role","id":"member"})", "blocked");
        const auto own = assign("crm", user(member), "required");
        auto effective = get(member, "/api/assignments/effective");
        equal("blocked", effective.at("/items/0/mode"));
        equal("[\"" + role + "\",\"" + everyone + "\"]", effective.at("/items/0/because"));
        made(patch(admin, "/api/assignments/" + own, R"({"mode":"blocked"})"));
        effective = get(admin, "/api/assignments/effective?userId=" + member.principalId);
        equal("[\"" + own + "\",\"" + role + "\",\"" + everyone + "\"]", effective.at("/items/0/because"));
    }

    TEST(everyoneExcludesGuests)
    {
        assign("crm", R"({"type":"everyone"})", "required");
        equal(1, get(member, "/api/assignments/effective").count("/items"));
        equal(0, get(guest, "/api/assignments/effective").count("/items"));
    }

    TEST(listsHavePages)
    {
        for (const auto* id : {"crm", "calendar", "social"}) assign(id, R"({"type":"everyone"})", "required");
        for (const auto* list : {"/api/assignments", "/api/assignments/effective"})
            assertPages(list, [&](const std::string& target) { return get(admin, target); });
    }

    TEST(showsOthersOnlyWithThePermission)
    {
        refused(get(member, "/api/assignments/effective?userId=" + admin.principalId), 403, "permission_denied");
        refused(get(admin, "/api/assignments/effective?userId=" + stranger.principalId), 404, "subject_not_in_org");
        refused(get(admin, "/api/assignments/effective?userId="), 404, "subject_not_in_org");
        refused(get(personal(member), "/api/assignments/effective"), 403, "service_access_denied");
    }

    /// Second implementation of the rules of availability, as simple as possible.
    struct Model
    {
        struct Rule
        {
            std::string id, type, subject, mode;
        };
        std::map<std::string, Rule> rules;
        /// By user, empty for the organization: `installed` or `removed`.
        std::map<std::string, std::string> installs;
        std::map<std::string, bool> requested;
        bool isDefault = false;

        std::string mode(const Caller& person) const
        {
            std::string strongest;
            for (const auto& [id, rule] : rules)
            {
                const bool applies = rule.type == "everyone" ? person.role != "guest"
                                     : rule.type == "role"   ? rule.subject == person.role
                                                             : rule.subject == person.principalId;
                if (!applies || strongest == "blocked") continue;
                if (rule.mode == "blocked" || strongest.empty() || rule.mode == "required") strongest = rule.mode;
            }
            return strongest;
        }
        std::string state(const std::string& who) const
        {
            const auto found = installs.find(who);
            return found == installs.end() ? "" : found->second;
        }
        bool mayTakeBack(const Caller& person) const { return person.role == "member" && isDefault && state("").empty(); }
        std::string availability(const Caller& person, bool mayInstall) const
        {
            const auto rule = mode(person), all = state(""), own = state(person.principalId);
            if (rule == "blocked") return "unavailable";
            if (rule == "required" || all == "installed" || own == "installed") return "installed";
            if (isDefault && all.empty() && own.empty()) return "installed";
            const auto asked = requested.find(person.principalId);
            if (asked != requested.end() && asked->second) return "requested";
            return mayInstall || mayTakeBack(person) ? "available" : "request_required";
        }
    };

    TEST(agreesWithAModelOverRandomHistories)
    {
        registry.add("remote").remote = true;
        const std::vector<const Caller*> people = {&owner, &admin, &member, &guest};
        const auto mayInstall = [&](const Caller* person) { return person != &member && person != &guest; };
        for (unsigned seed = 1; seed <= 6; ++seed)
        {
            std::mt19937 random(seed);
            const auto pick = [&](unsigned count) { return std::uniform_int_distribution<unsigned>(0, count - 1)(random); };
            const std::string service = seed % 2 ? "crm" : "remote";
            host->context().database().transact(
                [](Transaction& transaction)
                {
                    for (const auto* table : {"assignment", "install", "install_request", "action", "action_count"})
                        transaction.execute("DELETE FROM " + std::string(table));
                });
            Model model;
            model.isDefault = service == "crm";
            for (int step = 0; step < 60; ++step)
            {
                const auto* person = people[pick(4)];
                const auto before = model.availability(*person, mayInstall(person));
                const auto hint = "seed " + std::to_string(seed) + " step " + std::to_string(step) + " " + person->role + " was " + before;
                switch (pick(6))
                {
                case 0:
                {
                    const auto type = std::vector<std::string>{"everyone", "role", "user"}[pick(3)];
                    const auto subject = type == "everyone" ? "" : type == "role" ? people[pick(4)]->role : people[pick(4)]->principalId;
                    const auto mode = std::vector<std::string>{"optional", "required", "blocked"}[pick(3)];
                    const auto answer =
                        post(admin, "/api/assignments", body(service, jsonWith(R"({"type":"$","id":"$"})", type, subject), mode));
                    bool exists = false;
                    for (const auto& [id, rule] : model.rules) exists = exists || (rule.type == type && rule.subject == subject);
                    equal(exists ? 409 : 201, answer.status, hint + answer.body);
                    if (!exists) model.rules[answer.at("/id")] = {answer.at("/id"), type, subject, mode};
                    break;
                }
                case 1:
                    if (!model.rules.empty())
                    {
                        const auto rule = std::next(model.rules.begin(), pick(static_cast<unsigned>(model.rules.size())))->first;
                        equal(204, del(admin, "/api/assignments/" + rule).status, hint);
                        model.rules.erase(rule);
                    }
                    break;
                case 2:
                {
                    const bool forAll = pick(2) == 0;
                    const auto answer = post(*person, "/api/installs",
                                             jsonWith(R"({"service_id":"$","scope":"$"})", service, (forAll ? "organization" : "me")));
                    const bool onlyOwn = forAll && before == "installed" && model.mode(*person) != "required" &&
                                         model.state("") != "installed" && model.state(person->principalId) == "installed";
                    const bool allowed = mayInstall(person) || (!forAll && model.mayTakeBack(*person));
                    const auto expected = !allowed ? 403 : before == "unavailable" ? 403 : before == "installed" && !onlyOwn ? 409 : 201;
                    equal(expected, answer.status, hint + answer.body);
                    if (answer.status != 201) break;
                    model.installs[forAll ? "" : person->principalId] = "installed";
                    for (auto& [who, asked] : model.requested)
                        if (forAll || who == person->principalId) asked = false;
                    break;
                }
                case 3:
                {
                    const auto answer = del(*person, "/api/installs/" + service);
                    const bool all = model.state("") == "installed", own = model.state(person->principalId) == "installed";
                    const bool hidden = before == "unavailable" && person != &admin && person != &owner;
                    int expected = 204;
                    if (person == &guest)
                        expected = 403;
                    else if (hidden || before == "unavailable" || before != "installed")
                        expected = 404;
                    else if (model.mode(*person) == "required")
                        expected = 409;
                    else if (all && !mayInstall(person))
                        expected = 403;
                    equal(expected, answer.status, hint + answer.body);
                    if (answer.status == 204)
                        model.installs[all || (!own && mayInstall(person)) ? std::string() : person->principalId] = "removed";
                    break;
                }
                case 4:
                {
                    const auto answer = post(*person, "/api/install-requests", jsonWith(R"({"service_id":"$"})", service));
                    const auto expected = person == &guest || before == "unavailable"      ? 403
                                          : before == "installed" || before == "requested" ? 409
                                                                                           : 202;
                    equal(expected, answer.status, hint + answer.body);
                    if (answer.status == 202) model.requested[person->principalId] = true;
                    break;
                }
                default:
                {
                    const auto open = get(admin, "/api/actions?kind=install_request");
                    if (open.count("/items") == 0) break;
                    const bool approves = pick(2) == 0;
                    const auto id = open.at("/items/0/id");
                    const auto who = open.at("/items/0/dedupeKey").substr(("install:" + service + ":").size());
                    made(post(owner, "/api/actions/" + id + "/resolve",
                              approves ? R"({"decision":"approve"})" : R"({"decision":"reject","reason":"no"})"));
                    model.requested[who] = false;
                    if (approves) model.installs[who] = "installed";
                }
                }
                for (const auto* each : people)
                {
                    const auto shown = get(*each, "/api/catalog/" + service);
                    const auto expected = model.availability(*each, mayInstall(each));
                    const bool hidden = expected == "unavailable" && !mayInstall(each);
                    equal(hidden ? std::string("not_found") : expected, shown.status == 200 ? shown.at("/availability") : shown.code(),
                          hint + " then " + each->role);
                }
            }
        }
    }
};

} // namespace portico::tests
