#include "launchpad/LaunchpadFixture.h"

#include <string>
#include <string_view>

namespace portico::tests
{

/// Actions with an external cause: opened once, and closed when the cause ends.
class LaunchpadCausesTest : public Suite<LaunchpadCausesTest, LaunchpadFixture>
{
    void tell(std::string_view type, const std::string& id, std::string_view of = {}, const std::string& details = "{}",
              const std::string& actor = {}) const
    {
        const auto data = jsonWith(R"({"id":"$","change":"x","actor":{"type":"user","id":"$"},"details":$,"platformOrganizationId":"$"})",
                                   id, actor, details, operators);
        CHECK(host->context().events().deliver({"evt_1", "identity." + std::string(type), std::string(of), data, Instant{}}) > 0);
    }
    testing::TestAnswer open(const Caller& caller, const std::string& kind) const { return made(get(caller, "/api/actions?kind=" + kind)); }
    std::size_t countOpen(const Caller& caller, const std::string& kind) const { return open(caller, kind).count("/items"); }
    interfaces::DirectoryMember& profileOf(const Caller& caller)
    {
        return directory.written.at({organization, caller.principalId}).profile;
    }
    void require(const Caller& caller) const
    {
        made(post(admin, "/api/assignments",
                  jsonWith(R"({"service_id":"crm","mode":"required","subject":{"type":"user","id":"$"}})", caller.principalId)));
    }
    testing::TestAnswer onlyRule() const { return get(admin, "/api/assignments"); }

    TEST(demandsASecondFactorUntilItIsSetUp)
    {
        profileOf(admin).secondFactor = true;
        directory.requireSecondFactor.insert(organization);
        for (int i = 0; i < 2; ++i) tell("organization.mfa_required", organization, organization, R"({"required":true})");
        const auto asked = open(personal(member), "mfa_required");
        equal(1, asked.count("/items"));
        equal(member.principalId, asked.at("/items/0/assignee/id"));
        equal(organization, asked.at("/items/0/source/resourceId"));
        equal(0, countOpen(personal(admin), "mfa_required"));
        refused(post(personal(member), "/api/actions/" + asked.at("/items/0/id") + "/dismiss"), 409, "not_dismissible");
        profileOf(member).secondFactor = true;
        tell("user.factors_changed", "fac_1", {}, "{}", member.principalId);
        equal(0, countOpen(personal(member), "mfa_required"));
        equal(1, countOpen(personal(guest), "mfa_required"));
        profileOf(member).secondFactor = false;
        tell("user.factors_changed", "fac_1", {}, "{}", member.principalId);
        equal(1, countOpen(personal(member), "mfa_required"));
    }

    TEST(endsWithThePolicyOrTheMembership)
    {
        directory.requireSecondFactor.insert(organization);
        tell("membership.changed", member.principalId, organization);
        tell("membership.changed", guest.principalId, organization);
        equal(1, countOpen(personal(member), "mfa_required"));
        profileOf(guest).active = false;
        tell("membership.changed", guest.principalId, organization);
        equal(0, countOpen(personal(guest), "mfa_required"));
        directory.requireSecondFactor.clear();
        tell("organization.mfa_required", organization, organization, R"({"required":false})");
        equal(0, countOpen(personal(member), "mfa_required"));
    }

    static std::string invitation(const std::string& id, const std::string& place, bool household, const std::string& until)
    {
        return jsonWith(R"({"id":"$","household":$,"placeName":"$","inviterName":"Hank","role":"member","expiresAt":"$"})", id,
                        (household ? "true" : "false"), place, until);
    }
    void invited(const std::string& pending) const
    {
        tell("user.invitations_changed", member.principalId, {}, jsonWith(R"({"pending":[$]})", pending));
    }

    TEST(listsInvitationsUntilTheyAreAnswered)
    {
        const auto first = invitation("inv_a", "Globex", false, "2026-11-30T08:00:00.000Z");
        for (int i = 0; i < 2; ++i) invited(first + ',' + invitation("inv_b", "Home", true, "2026-11-30T08:00:00.000Z"));
        const auto joined = open(personal(member), "invitation_pending");
        equal(1, joined.count("/items"));
        equal("inv_a", joined.at("/items/0/source/resourceId"));
        equal("Join \"Globex\"", joined.at("/items/0/title"));
        equal("inv_b", open(personal(member), "household_invitation").at("/items/0/source/resourceId"));
        equal(0, countOpen(personal(admin), "invitation_pending"));
        invited(first);
        equal(0, countOpen(personal(member), "household_invitation"));
        equal(1, countOpen(personal(member), "invitation_pending"));
        advance(std::chrono::hours(24 * 8));
        host->context().jobs().runDue();
        equal(0, countOpen(personal(member), "invitation_pending"));
    }

    TEST(anInvitationSentAgainExpiresLater)
    {
        invited(invitation("inv_a", "Globex", false, "2026-11-24T08:00:00.000Z"));
        invited(invitation("inv_a", "Globex", false, "2026-11-30T08:00:00.000Z"));
        const auto joined = open(personal(member), "invitation_pending");
        equal(1, joined.count("/items"));
        equal("2026-11-30T08:00:00.000Z", joined.at("/items/0/dueAt"));
    }

    TEST(listsReviewsForOperators)
    {
        tell("developer.status_changed", "dev_1", {}, R"({"status":"submitted"})");
        equal(0, countOpen(admin, "developer_review"));
        operators = organization;
        tell("developer.status_changed", "dev_1", {}, R"({"status":"approved"})");
        equal(0, countOpen(admin, "developer_review"));
        for (const auto* details : {R"({"status":"submitted"})", R"({"from":"submitted","to":"in_review"})"})
            tell("developer.status_changed", "dev_1", {}, details);
        const auto review = open(admin, "developer_review");
        equal(1, review.count("/items"));
        equal("dev_1", review.at("/items/0/source/resourceId"));
        equal("role", review.at("/items/0/assignee/type"));
        tell("developer.status_changed", "dev_1", {}, R"({"from":"in_review","to":"needs_info"})");
        equal(0, countOpen(admin, "developer_review"));
        tell("app.review_pending", "asb_1");
        tell("app.status_changed", "asb_1", {}, R"({"to":"in_review"})");
        equal(1, countOpen(admin, "app_review"));
        equal(0, countOpen(stranger, "app_review"));
        tell("app.status_changed", "asb_1", {}, R"({"to":"rejected"})");
        equal(0, countOpen(admin, "app_review"));
    }

    TEST(showsAnIncompleteServiceToItsPublisher)
    {
        operators = stranger.organizationId;
        tell("service.incomplete", "desk", organization);
        equal("desk", open(admin, "service_incomplete").at("/items/0/source/resourceId"));
        equal(0, countOpen(stranger, "service_incomplete"));
        tell("service.incomplete", "crm");
        equal(1, countOpen(stranger, "service_incomplete"));
        tell("service.completed", "desk", organization);
        equal(0, countOpen(admin, "service_incomplete"));
    }

    TEST(demandsTheFirstLaunchOfARequiredApp)
    {
        require(member);
        const auto asked = open(member, "assignment_required");
        equal(1, asked.count("/items"));
        equal("crm", asked.at("/items/0/source/service_id"));
        equal(member.principalId, asked.at("/items/0/assignee/id"));
        // Another person and another app close nothing.
        made(post(admin, "/api/launch", R"({"service_id":"crm"})"));
        made(post(member, "/api/launch", R"({"service_id":"calendar"})"));
        equal(1, countOpen(member, "assignment_required"));
        made(post(member, "/api/launch", R"({"service_id":"crm"})"));
        equal(0, countOpen(member, "assignment_required"));
        // A person who has opened the app gets no new action.
        const auto rule = "/api/assignments/" + onlyRule().at("/items/0/id");
        made(patch(admin, rule, R"({"mode":"optional"})"));
        made(patch(admin, rule, R"({"mode":"required"})"));
        equal(0, countOpen(member, "assignment_required"));
    }

    TEST(rulesForManyOpenNoActions)
    {
        made(post(admin, "/api/assignments", R"({"service_id":"crm","mode":"required","subject":{"type":"everyone"}})"));
        equal(0, countOpen(member, "assignment_required"));
        require(guest);
        require(member);
        equal(2, countOpen(admin, "assignment_required"));
        const auto ofGuest = made(get(admin, "/api/assignments?userId=" + guest.principalId)).at("/items/0/id");
        made(patch(admin, "/api/assignments/" + ofGuest, R"({"mode":"blocked"})"));
        equal(1, countOpen(admin, "assignment_required"));
        profileOf(member).active = false;
        tell("membership.changed", member.principalId, organization);
        equal(0, countOpen(admin, "assignment_required"));
    }

    TEST(waitsForTheDirectory)
    {
        host->context().services().withdraw(interfaces::Directory::interfaceName);
        CPPUNIT_ASSERT_THROW(tell("user.factors_changed", "fac_1", {}, "{}", member.principalId), Problem);
    }

    /// The organization that operates the platform.
    std::string operators;
};

} // namespace portico::tests
