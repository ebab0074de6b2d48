#pragma once

#include "embed/EmbedOrigins.h"
#include "pages/Picker.h"

#include "portico/Request.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::calendar
{

/// How a page is shown in a frame of another one: under which grant, and what that page wants it to look like.
struct Embedding
{
    /// Empty: in no frame.
    std::string embedId;
    /// Which may show it, and are told what happens in it.
    std::vector<std::string> origins;
    /// The grant is for everything that the host offers.
    bool ofHost = false;
    /// `light` or `dark`; empty: what the guest's browser prefers.
    std::string theme;
    /// `#rrggbb`; empty: the host's.
    std::string accentColor;
    /// Empty: the language of the guest's browser.
    std::string locale;
    bool hideHeader = false;
    /// All of it, as links and forms within the frame take it along.
    Fields fields;
};

/// Fields of every form in a frame: how it is embedded (`embeddingOf`).
struct FrameInput
{
    std::string embed;
    std::string from;
    std::string theme;
    std::string accentColor;
    std::string hideHeader;
    std::string locale;
};

/// The members of FrameInput in a record that derives from it.
template <class T>
constexpr auto frameFields()
{
    return describe(
        field("embed", static_cast<std::string T::*>(&T::embed)), field("from", static_cast<std::string T::*>(&T::from)),
        field("theme", static_cast<std::string T::*>(&T::theme)), field("accentColor", static_cast<std::string T::*>(&T::accentColor)),
        field("hideHeader", static_cast<std::string T::*>(&T::hideHeader)), field("locale", static_cast<std::string T::*>(&T::locale)));
}

/// What the fields say of the frame as they say it; none without a grant.
Fields embedFieldsOf(const Fields& fields);

/// What the fields of a query or a form ask for, for the pages of an event type, or of all without one. What does not fit is left out.
/// @throws Problem 403 `origin_not_allowed` where the grant does not hold, and for a frame of another origin that names none
Embedding embeddingOf(const Request& request, Session& session, const EmbedOrigins& origins, const Host& host,
                      const std::optional<EventTypeId>& type, const Fields& fields);

/// What a page around a frame is told of a refusal: `{"type":"error","payload":{"code":…}}`.
std::string toldOfProblem(const std::string& code);

/// As a template writes hidden fields.
std::vector<PickerField> hiddenFields(const Fields& fields);

} // namespace portico::calendar
