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

struct Link
{
    std::string url;
    int weight = 0;
};

struct Tree
{
    std::string name;
    std::vector<Tree> children;
};

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
};

struct Filter
{
    std::optional<std::string> q;
    std::vector<std::string> tag;
    std::optional<bool> pinned;
    std::optional<Colour> colour;
};

} // namespace demo

namespace portico
{

template <>
struct Schema<demo::Colour>
{
    static constexpr auto choices = portico::choices<demo::Colour>({{"red", demo::Colour::Red}, {"green", demo::Colour::Green}});
};

template <>
struct Schema<demo::Link>
{
    static constexpr auto fields =
        describe(field("url", &demo::Link::url).required().uri(), field("weight", &demo::Link::weight).range(0, 9));
};

template <>
struct Schema<demo::Tree>
{
    static constexpr auto fields = describe(field("name", &demo::Tree::name).required(), field("children", &demo::Tree::children));
};

template <>
struct Schema<demo::Note>
{
    static constexpr auto fields =
        describe(field("id", &demo::Note::id).readOnly(), field("title", &demo::Note::title).required().maxLength(10),
                 field("email", &demo::Note::email).email(), field("link", &demo::Note::link),
                 field("links", &demo::Note::links).maxItems(2), field("tags", &demo::Note::tags).maxItems(3).maxLength(5),
                 field("custom", &demo::Note::custom), field("colour", &demo::Note::colour), field("due", &demo::Note::due),
                 field("ratio", &demo::Note::ratio), field("pinned", &demo::Note::pinned), field("secret", &demo::Note::secret).writeOnly(),
                 field("tenant", &demo::Note::tenant).hidden(), field("version", &demo::Note::version).readOnly());

    static void check(const demo::Note& note, detail::Faults& faults, const std::string&)
    {
        if (note.pinned && note.colour == demo::Colour::Green) faults.add("pinned", "not_green", "A green note cannot be pinned");
    }
};

template <>
struct Schema<demo::Filter>
{
    static constexpr auto fields = describe(field("q", &demo::Filter::q).maxLength(20), field("tag", &demo::Filter::tag),
                                            field("pinned", &demo::Filter::pinned), field("colour", &demo::Filter::colour));
};

} // namespace portico
