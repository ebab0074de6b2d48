#pragma once

#include "portico/Plugin.h"
#include "portico/Table.h"

namespace acme_notes::topic
{

using namespace portico;

using TopicId = Id<"topic">;

/// Subject of a note.
struct Topic : Versioned
{
    TopicId id;
    std::string name;
    bool archived = false;
};
constexpr auto schemaOf(const Topic*)
{
    return describe(field<&Topic::id>().readOnly(), field<&Topic::name>().required().maxLength(80).trimmed(), field<&Topic::archived>(),
                    versioned<Topic>());
}
inline constexpr Table topics{"topic", {.unique = {{"topic_by_name", "name_taken", "name"}}}, &Topic::id};

struct TopicFilter
{
    std::optional<bool> archived;
};
constexpr auto schemaOf(const TopicFilter*) { return describe(field<&TopicFilter::archived>()); }

/// `/api/topics`.
struct TopicRoutes
{
    PluginContext& context;

    void declare(Routes& routes)
    {
        const auto read = access::bearerOrKey("notes:read", "notes.read"), write = access::bearerOrKey("notes:write", "notes.write");
        routes.get("/api/topics", read, &TopicRoutes::list, this)
            .post("/api/topics", write, &TopicRoutes::create, this, {.problems = {"409 name_taken"}})
            .put("/api/topics/{id}", write, &TopicRoutes::change, this, {.problems = {"409 name_taken"}})
            .del("/api/topics/{id}", write, &TopicRoutes::remove, this);
    }

    using By = Sort<&Topic::name, &Topic::createdAt>;
    Page<Topic> list(const Caller& caller, const Query<TopicFilter>& filter, const By& by, const Fields<Topic>& fields,
                     const Paging& paging) const
    {
        auto session = context.database().session();
        auto found = topics.select(caller.tenant());
        if (filter->archived) found.where(&Topic::archived, *filter->archived);
        return found.orderBy(by).page(session, paging, fields);
    }
    Created<Topic> create(const Caller& caller, const Body<Topic>& input)
    {
        return {context.database().transact([&](auto& work) { return topics.create(work, caller.tenant(), *input, now()); })};
    }
    Topic change(const Caller& caller, const Path<TopicId>& id, const Body<Patch<Topic>>& patch, const IfMatch& ifMatch)
    {
        return context.database().transact([&](auto& work) { return topics.change(work, caller.tenant(), *id, ifMatch, now(), *patch); });
    }
    Deleted<TopicId> remove(const Caller& caller, const Path<TopicId>& id, const IfMatch& ifMatch)
    {
        return {context.database().transact([&](auto& work) { return topics.remove(work, caller.tenant(), *id, ifMatch).id; })};
    }
    Stamp now() const { return {context.clock().now()}; }
};

} // namespace acme_notes::topic
