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
    /// Empty if the page is not in a frame.
    std::string embedId;
    /// Origins that may embed the page and receive its messages.
    std::vector<std::string> origins;
    /// True if the grant covers all event types of the host.
    bool ofHost = false;
    /// Theme `light` or `dark`; empty: the preference of the guest's browser.
    std::string theme;
    /// Accent color as `#rrggbb`; empty: the host's.
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

constexpr auto schemaOf(const FrameInput*)
{
    return describe(members<&FrameInput::embed, &FrameInput::from, &FrameInput::theme, &FrameInput::accentColor, &FrameInput::hideHeader,
                            &FrameInput::locale>());
}

/// Returns the embedding fields unchanged; none without a grant.
Fields embedFieldsOf(const Fields& fields);

/// Reads the embedding fields of a query or a form, for the pages of an event type, or for all pages without one. Ignores invalid fields.
/// @throws Problem 403 `origin_not_allowed` if the grant is invalid, and for a frame of another origin without a grant
Embedding embeddingOf(const Request& request, Session& session, const EmbedOrigins& origins, const Host& host,
                      const std::optional<EventTypeId>& type, const Fields& fields);

/// Returns the message about a refusal for the embedding page: `{"type":"error","payload":{"code":…}}`.
std::string toldOfProblem(const std::string& code);

/// Converts fields to hidden inputs of a template.
std::vector<PickerField> hiddenFields(const Fields& fields);

} // namespace portico::calendar
