#pragma once

#include "crm/CrmFixture.h"

#include <string>
#include <string_view>

namespace portico::tests
{

/// Imports as clients make them.
class ImportFixture : public CrmFixture
{
protected:
    Answer importFile(const Caller& caller, std::string_view body, std::string_view query = {}, std::string_view type = "text/csv") const
    {
        const auto target = "/api/contacts/import" + (query.empty() ? std::string() : "?" + std::string(query));
        return client->post(caller, target, body, {{"Content-Type", std::string(type)}, {"X-File-Name", "people.csv"}});
    }
    /// The report of an import that was taken.
    Answer imported(std::string_view body, std::string_view query = {}, std::string_view type = "text/csv") const
    {
        auto answer = importFile(owner, body, query, type);
        equal(200, answer.status, answer.body);
        return answer;
    }
    Answer report(const Answer& started) const { return client->get(owner, path(started)); }
    Answer undo(const Answer& made) const { return client->post(owner, path(made) + "/undo", "{}"); }
    std::string errorFile(const Answer& made) const
    {
        testing::TestRequest request;
        request.target = path(made) + "/errors.csv";
        request.caller = owner;
        auto response = host->call(request);
        equal(200, response.status);
        return testing::TestHost::bodyOf(response);
    }
    static std::string path(const Answer& made) { return "/api/contacts/imports/" + made.at("/importId"); }

    /// `rows created updated skipped failed`
    static std::string totals(const Answer& report)
    {
        std::string text;
        for (const auto* name : {"rows", "created", "updated", "skipped", "failed"})
            (text += text.empty() ? "" : " ") += std::to_string(valueAt(report, "/totals").at(name).as_int64());
        return text;
    }
    /// `row code` of each error in the report.
    static Names problems(const Answer& report)
    {
        Names found;
        for (const auto& error : arrayAt(report, "/errors"))
            found.push_back(std::to_string(error.at("row").as_int64()) + ' ' + std::string(error.at("code").as_string()));
        return found;
    }
    std::int64_t countContacts() const { return std::stoll(list("limit=1&include=total").at("/total")); }
    Answer contactNamed(std::string_view name) const
    {
        const auto found = list("q=" + std::string(name));
        equal(1, found.count("/items"));
        return client->get(owner, "/api/contacts/" + found.at("/items/0/id"));
    }
};

} // namespace portico::tests
