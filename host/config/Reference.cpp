#include "host/config/Catalog.h"

#include <algorithm>
#include <array>

namespace portico::host::config
{

namespace
{

/// In the order of `Kind`.
constexpr std::array<std::string_view, 11> kindNames{"Text",
                                                     "Whole number",
                                                     "true or false",
                                                     "Seconds",
                                                     "Bytes (K, M, G multiply by 1024)",
                                                     "Choice",
                                                     "Path",
                                                     "Path of a file that holds the secret",
                                                     "List, separated by commas",
                                                     "Origins, separated by commas",
                                                     "Database URL"};
static_assert(static_cast<std::size_t>(Kind::Database) + 1 == kindNames.size());

std::string choices(const Setting& setting)
{
    std::string text(setting.choices);
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.replace(at, 1, ", ");
    return text;
}

/// `Whole number from 1 to 65535. Takes effect at the next start.`
std::string rules(const Setting& setting)
{
    std::string text =
        setting.kind == Kind::Choice ? "One of " + choices(setting) : std::string(kindNames[static_cast<std::size_t>(setting.kind)]);
    if (setting.maximum != unbounded)
        text += ", " + std::to_string(setting.minimum) + " to " + std::to_string(setting.maximum);
    else if (setting.minimum != 0)
        text += ", at least " + std::to_string(setting.minimum);
    return text + (setting.applies == Applies::Live ? ". Can be reloaded." : ". Takes effect at the next start.");
}

/// Breaks the text at blanks, each line with a prefix.
void wrap(std::string_view text, std::string_view prefix, std::size_t width, std::string& out)
{
    while (!text.empty())
    {
        auto length = text.size();
        if (length > width)
        {
            const auto blank = text.rfind(' ', width);
            length = blank == std::string_view::npos ? width : blank;
        }
        out.append(prefix).append(text.substr(0, length)).append("\n");
        text.remove_prefix(std::min(text.size(), text.substr(length).starts_with(' ') ? length + 1 : length));
    }
}

/// mdoc needs each sentence on a separate line.
void wrapSentences(std::string_view text, std::string& out)
{
    for (std::size_t begin = 0; begin < text.size();)
    {
        const auto end = std::min(text.find(". ", begin), text.size());
        wrap(text.substr(begin, end - begin + 1), "", 110, out);
        begin = end + 2;
    }
}

} // namespace

std::string referenceProperties()
{
    std::string out;
    wrap("Settings of porticod. Every setting of the host is listed with its default; remove the # to change one.", "# ", 110, out);
    wrap("Stronger than this file, in this order: conf.d/*.properties beside it, conf.d/*.properties in the state directory (written by "
         "porticoctl enable and disable), variables of the environment (PORTICO_SERVER_PORT is server.port), --set key=value.",
         "# ", 110, out);
    wrap("Secrets are not allowed here: a setting whose name ends in File names the file that contains one. <id> is the id of a service. "
         "The manifest of a service lists its own settings. porticoctl config check explains every mistake.",
         "# ", 110, out);
    for (const auto& group : settingGroups())
    {
        out.append("\n# --- ").append(group.title).append(" ---\n");
        for (const auto& setting : group.settings)
        {
            out.append("\n");
            wrap(setting.description, "# ", 110, out);
            wrap(rules(setting), "# ", 110, out);
            out.append("#").append(setting.key).append(" =");
            if (!setting.defaultValue.empty()) out.append(" ").append(setting.defaultValue);
            out.append("\n");
        }
    }
    return out;
}

std::string referenceManual()
{
    std::string out;
    for (const auto& group : settingGroups())
    {
        out.append(".Ss ").append(group.title).append("\n.Bl -tag -width Ds\n");
        for (const auto& setting : group.settings)
        {
            out.append(".It Ic ").append(setting.key).append("\n");
            wrapSentences(setting.description, out);
            wrapSentences(rules(setting), out);
            out.append("Default: ");
            if (setting.defaultValue.empty())
                out.append("none.\n");
            else
                out.append("\n.Ql ").append(setting.defaultValue).append(" .\n");
        }
        out.append(".El\n");
    }
    return out;
}

} // namespace portico::host::config
