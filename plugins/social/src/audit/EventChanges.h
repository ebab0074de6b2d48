#pragma once

#include "audit/AuditEvent.h"

#include "portico/Json.h"

#include <initializer_list>
#include <string_view>

namespace portico::social
{

/// Maximum characters of a text in an event (2.A.10).
inline constexpr std::size_t maxEventText = 280;

/// Returns a text as a JSON string of at most `maxEventText` characters.
Json eventText(std::string_view text);

/// Returns a change of a text member.
EventChange textChange(std::string_view field, std::string_view from, std::string_view to);

/// Appends the change between two JSON values of a member, if they differ. A JSON string is cut to `maxEventText` characters.
void appendChange(std::vector<EventChange>& changes, std::string_view field, std::string_view from, std::string_view to);

/// Returns the named members in which two records differ, in the order of the names. Never name a member that holds a secret.
template <class T>
std::vector<EventChange> changesBetween(const T& before, const T& after, std::initializer_list<std::string_view> names)
{
    const auto valueOf = [](const T& record, std::string_view name)
    {
        // {"name":value}
        std::string text;
        appendJson(text, record, {std::string(name)});
        return text.size() < name.size() + 5 ? std::string("null") : text.substr(name.size() + 4, text.size() - name.size() - 5);
    };
    std::vector<EventChange> changes;
    for (const auto name : names) appendChange(changes, name, valueOf(before, name), valueOf(after, name));
    return changes;
}

} // namespace portico::social
