#pragma once

#include "portico/Id.h"
#include "portico/Plugin.h"

#include <string>
#include <vector>

/// A small plugin that uses every part of its context, for trying the test host.
namespace notes
{

using NoteId = portico::Id<"nte">;

struct Note
{
    NoteId id;
    std::string text;
};

constexpr auto schemaOf(const Note*)
{
    using namespace portico;
    return describe(field<&Note::id>().readOnly(), field<&Note::text>().required().maxLength(100));
}

struct Count
{
    int count = 0;
};

constexpr auto schemaOf(const Count*)
{
    using namespace portico;
    return describe(field<&Count::count>());
}

/// Interface of another plugin that this one uses.
class Dictionary : public portico::ServiceInterface
{
public:
    static constexpr std::string_view interfaceName = "test.dictionary";
    static constexpr std::string_view interfaceVersion = "1.0";
    virtual std::string translate(const std::string& word) = 0;
};

class NotesPlugin final : public portico::Plugin
{
public:
    explicit NotesPlugin(portico::PluginContext& context) : _context(context) {}

    void start() override
    {
        _context.jobs().handle("index", [this](const portico::Job& job) { index(job); });
        _context.events().subscribe("user.*", [this](const portico::Event& event) { forget(event.organizationId); });
    }

    void declare(portico::Routes& routes) override
    {
        routes.get("/api/notes/{id}", portico::access::bearerOrKey("notes:read", "notes.read").bind("note", "id"), &NotesPlugin::show, this)
            .get("/api/notes/count", portico::access::open(), &NotesPlugin::count, this)
            .post("/api/notes", portico::access::bearer("notes:write"), &NotesPlugin::create, this)
            .del("/api/notes/{id}", portico::access::bearer("notes:write"), &NotesPlugin::remove, this);
    }

    void stop() noexcept override { _context.logger().information("stopped"); }

    portico::Created<Note> create(const portico::Caller& caller, const portico::Body<Note>& input)
    {
        Note note = *input;
        note.id = NoteId::make(_context.clock().now());
        if (auto dictionary = _context.services().find<Dictionary>()) note.text = dictionary->translate(note.text);
        _context.database().transact(
            [&](portico::Transaction& transaction)
            {
                transaction.insert("note", note, {"organization_id"}, caller.tenant());
                _context.jobs().enqueue(transaction, "index", note.id.text());
                _context.events().publish(transaction, "notes.created", caller.organizationId, "{}");
                _context.mailer().send(transaction, {caller.email, "A new note", note.text, ""});
                if (note.text == "roll back") throw portico::Problem::conflict();
            });
        _context.metrics().count("created_total", 1, {{"by", caller.principalType}});
        return {note};
    }

    Note show(const portico::Caller& caller, const portico::Path<NoteId>& id) const
    {
        auto session = _context.database().session();
        auto note = session.one<Note>("SELECT id, text FROM note WHERE organization_id = $1 AND id = $2", caller.tenant(), *id);
        if (!note) throw portico::Problem::notFound();
        return *std::move(note);
    }

    Count count() const { return {_context.database().session().value<int>("SELECT count(*) FROM note").value()}; }

    portico::NoContent remove(const portico::Caller& caller, const portico::Path<NoteId>& id)
    {
        _context.database().transact(
            [&](portico::Transaction& transaction)
            { transaction.execute("DELETE FROM note WHERE organization_id = $1 AND id = $2", caller.tenant(), *id); });
        return {};
    }

private:
    void index(const portico::Job& job)
    {
        portico::HttpClient::Request request;
        request.url = "https://index.example/" + job.payload;
        if (_context.http().send(request).status != 200) throw std::runtime_error("the index is closed");
    }
    void forget(const std::string& organization)
    {
        _context.database().transact([&](portico::Transaction& transaction)
                                     { transaction.execute("DELETE FROM note WHERE organization_id = $1", organization); });
    }

    portico::PluginContext& _context;
};

} // namespace notes
