#include "crm/ExchangeReport.h"

#include "portico/Json.h"
#include "portico/Problem.h"

#include <algorithm>

namespace portico::tests
{

namespace json = boost::json;

namespace
{

json::value parsed(const std::string& text) { return json::parse(text); }

json::array problemsOf(const std::vector<crm::ImportProblem>& problems)
{
    json::array list;
    for (const auto& problem : problems)
    {
        json::object item;
        item["code"] = problem.code;
        if (!problem.column.empty()) item["column"] = problem.column;
        if (!problem.field.empty()) item["field"] = problem.field;
        if (!problem.value.empty()) item["value"] = problem.value;
        list.push_back(std::move(item));
    }
    return list;
}

json::object contactOf(const crm::ParsedRow& record)
{
    json::object contact;
    const auto whole = parsed(toJson(record.contact));
    for (const auto& name : record.members)
    {
        const auto member = name.substr(0, name.find('.'));
        contact[member] = whole.at(member);
    }
    for (const auto* list : {"emails", "phones"})
        if (auto* items = contact.if_contains(list))
            for (auto& item : items->as_array())
            {
                auto& element = item.as_object();
                if (const auto* e164 = element.if_contains("e164"); e164 && e164->is_null()) element.erase("e164");
                if (!element.at("primary").as_bool()) element.erase("primary");
            }
    if (auto* addresses = contact.if_contains("addresses"))
        for (auto& item : addresses->as_array())
            for (const auto* part : {"street", "street2", "city", "region", "postalCode", "country"})
                if (item.at(part).as_string().empty()) item.as_object().erase(part);
    return contact;
}

std::string refusal(const Problem& problem)
{
    json::array errors;
    for (const auto& error : problem.errors()) errors.push_back(json::object{{"field", error.field}, {"code", error.code}});
    return "{\"refused\":" + json::serialize(errors) + "}\n";
}

} // namespace

json::object summaryOf(const crm::ParsedRow& record)
{
    json::object summary;
    summary["row"] = record.row;
    summary["line"] = record.line;
    if (record.skipped) summary["skipped"] = true;
    if (!record.problems.empty()) summary["problems"] = problemsOf(record.problems);
    if (!record.warnings.empty()) summary["warnings"] = problemsOf(record.warnings);
    if (record.problems.empty()) summary["contact"] = contactOf(record);
    if (!record.notes.empty()) summary["notes"] = json::value_from(record.notes);
    if (!record.ownerEmail.empty()) summary["ownerEmail"] = record.ownerEmail;
    if (record.photo) summary["photo"] = json::object{{"contentType", record.photo->contentType}, {"bytes", record.photo->bytes.size()}};
    // Cells are for rows that go into the error file.
    if (!record.problems.empty() && !record.cells.empty()) summary["cells"] = json::value_from(record.cells);
    return summary;
}

std::string reportOf(crm::ImportFile& file, const crm::ImportOptions& options, const crm::ImportHints& hints)
try
{
    const auto plan = crm::planImport(file, options, hints);
    std::string report = "{\"plan\":" + toJson(plan) + ",\n\"records\":[";
    bool first = true;
    for (const auto& record : readAll(file, plan))
    {
        report += first ? "\n" : ",\n";
        first = false;
        report += json::serialize(summaryOf(record));
    }
    return report + "\n]}\n";
}
catch (const Problem& problem)
{
    return refusal(problem);
}

} // namespace portico::tests
