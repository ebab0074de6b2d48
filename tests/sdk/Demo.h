#pragma once

#include "portico/Id.h"
#include "portico/Routes.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// A small service that uses every shape the SDK knows; what the tests of this suite exercise.
namespace demo
{

using NoteId = portico::Id<"not">;

enum class Colour
{
    Red,
    Green
};

constexpr auto schemaOf(const Colour*)
{
    using enum Colour;
    return portico::choices<Colour>({{"red", Red}, {"green", Green}});
}

struct Link
{
    std::string url;
    int weight = 0;
};

constexpr auto schemaOf(const Link*)
{
    using namespace portico;
    return describe(field<&Link::url>().required().uri(), field<&Link::weight>().range(0, 9));
}

struct Tree
{
    std::string name;
    std::vector<Tree> children;
};

constexpr auto schemaOf(const Tree*)
{
    using namespace portico;
    return describe(field<&Tree::name>().required(), field<&Tree::children>());
}

struct Note
{
    NoteId id;
    std::string title;
    std::string email;
    std::optional<Link> link;
    std::vector<Link> links;
    std::vector<std::string> tags;
    std::map<std::string, portico::Json> custom;
    Colour colour = Colour::Red;
    std::optional<portico::Instant> due;
    double ratio = 0;
    bool pinned = false;
    std::string secret;
    std::string tenant;
    std::int64_t version = 1;
    std::string origin;
};

inline void checkNote(const Note& note, portico::Faults& faults, const std::string&)
{
    if (note.pinned && note.colour == Colour::Green) faults.add("pinned", "not_green", "A green note cannot be pinned");
}

constexpr auto schemaOf(const Note*)
{
    using namespace portico;
    return describe(field<&Note::id>().readOnly(), field<&Note::title>().required().maxLength(10), field<&Note::email>().email(),
                    field<&Note::link>(), field<&Note::links>().maxItems(2), field<&Note::tags>().maxItems(3).maxLength(5),
                    members<&Note::custom, &Note::colour, &Note::due, &Note::ratio, &Note::pinned>(), field<&Note::secret>().writeOnly(),
                    field<&Note::tenant>().columnOnly(), field<&Note::version>().readOnly(),
                    field<&Note::origin>().createOnly().maxLength(5).omitEmpty())
        .checkedBy(&checkNote);
}

struct Filter
{
    std::optional<std::string> q;
    std::vector<std::string> tag;
    std::optional<bool> pinned;
    std::optional<Colour> colour;
};

constexpr auto schemaOf(const Filter*)
{
    using namespace portico;
    return describe(field<&Filter::q>().maxLength(20), members<&Filter::tag, &Filter::pinned, &Filter::colour>());
}

} // namespace demo
