#pragma once

#include "crm/CrmFixture.h"

#include <string>
#include <string_view>

namespace portico::tests
{

/// The service, and short words for pipelines, moves and boards.
class PipelineFixture : public CrmFixture
{
protected:
    Answer pipelines(const Caller& caller) const { return client->get(caller, "/api/pipeline"); }
    /// The default pipeline of the owner.
    Answer standard() const
    {
        const auto list = pipelines(owner);
        for (const auto& item : arrayAt(list, "/items"))
            if (item.at("isDefault").as_bool()) return show(std::string(item.at("pipelineId").as_string()));
        CPPUNIT_FAIL("there is no default pipeline");
        return {};
    }
    Answer show(const std::string& pipelineId) const { return client->get(owner, "/api/pipeline/" + pipelineId); }
    Answer makePipeline(std::string_view body) const { return client->post(owner, "/api/pipeline", body); }
    Answer change(const std::string& pipelineId, std::string_view body, const Headers& headers = {}) const
    {
        return client->put(owner, "/api/pipeline/" + pipelineId, body, headers);
    }

    /// Id of a stage by its name.
    static std::string stage(const Answer& pipeline, std::string_view name)
    {
        for (const auto& item : arrayAt(pipeline, "/stages"))
            if (item.at("name").as_string() == name) return std::string(item.at("stageId").as_string());
        CPPUNIT_FAIL("there is no stage " + std::string(name));
        return {};
    }

    Answer move(const std::string& contact, std::string_view body) const
    {
        return client->put(owner, "/api/pipeline/" + contact + "/move", body);
    }
    /// Moves to a stage of the default pipeline, with further members (`,"note":"x"`).
    Answer moveTo(const std::string& contact, const std::string& stageId, const std::string& more = {}) const
    {
        return move(contact, jsonWith(R"({"stageId":"$"$})", stageId, more));
    }
    std::string placed(std::string_view name, const std::string& stageId, const std::string& more = {}) const
    {
        const auto contact = newContact(name);
        const auto answer = moveTo(contact, stageId, more);
        equal(200, answer.status, answer.body);
        return contact;
    }

    Answer board(const std::string& pipelineId, const std::string& query = {}) const
    {
        return client->get(owner, "/api/pipeline/" + pipelineId + "/board" + query);
    }
    /// Copies, as answers are mostly temporary.
    static boost::json::array items(const Answer& list) { return arrayAt(list, "/items"); }
    static boost::json::object column(const Answer& board, std::string_view stageId)
    {
        for (const auto& item : arrayAt(board, "/columns"))
            if (item.at("stageId").as_string() == stageId) return item.as_object();
        CPPUNIT_FAIL("there is no column " + std::string(stageId));
        return {};
    }
    static boost::json::array cardsOf(const Answer& board, std::string_view stageId)
    {
        return column(board, stageId).at("items").as_array();
    }
    /// Display names of a column.
    static Names cards(const Answer& board, std::string_view stageId)
    {
        Names names;
        for (const auto& item : cardsOf(board, stageId)) names.emplace_back(item.at("displayName").as_string());
        return names;
    }

    Answer history(const std::string& contact, const std::string& query = {}) const
    {
        return client->get(owner, "/api/pipeline/" + contact + "/history" + query);
    }
    boost::json::value places(const std::string& contact) const
    {
        return valueAt(client->get(owner, "/api/contacts/" + contact), "/pipelines");
    }
};

} // namespace portico::tests
