#include "host/ctl/Terminal.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <unistd.h>

namespace portico::host::ctl
{

namespace
{

std::size_t characters(std::string_view text)
{
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/// Returns the number of bytes of a control character at the beginning of `text`: of ASCII, or of those with two bytes in UTF-8.
std::size_t controlAt(std::string_view text)
{
    const auto byte = static_cast<unsigned char>(text[0]);
    if (byte == '\n' || byte == '\t') return 0;
    if (byte < ' ' || byte == 0x7F) return 1;
    const auto next = text.size() > 1 ? static_cast<unsigned char>(text[1]) : 0;
    return byte == 0xC2 && next >= 0x80 && next < 0xA0 ? 2 : 0;
}

/// Bytes at the beginning of `text` that set a colour and do nothing else.
std::size_t colourAt(std::string_view text)
{
    if (!text.starts_with("\033[")) return 0;
    const auto end = text.find_first_not_of("0123456789", 2);
    return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

std::string withoutControls(std::string_view text, bool coloured)
{
    std::string result;
    while (!text.empty())
    {
        const auto colour = coloured ? colourAt(text) : 0;
        const auto control = controlAt(text);
        const auto taken = std::max({colour, control, std::size_t{1}});
        if (control > 0 && colour == 0)
            result.push_back('?');
        else
            result.append(text.substr(0, taken));
        text.remove_prefix(taken);
    }
    return result;
}

} // namespace

std::string printable(std::string_view text) { return withoutControls(text, false); }

void Terminal::line(std::string_view text) const { _out << withoutControls(text, _colours) << '\n'; }

Terminal Terminal::standardOutput()
{
    const char* refused = std::getenv("NO_COLOR");
    return {std::cout, ::isatty(STDOUT_FILENO) == 1 && (!refused || *refused == '\0')};
}

std::string Terminal::paint(std::string_view text, Colour colour) const
{
    if (!_colours || colour == Colour::None) return std::string(text);
    return "\033[" + std::to_string(static_cast<int>(colour)) + "m" + std::string(text) + "\033[0m";
}

Colour colourOf(std::string_view state) noexcept
{
    for (const std::string_view good : {"serving", "ok", "done", "applied", "yes"})
        if (state == good) return Colour::Good;
    for (const std::string_view bad : {"failed", "quarantined", "error", "dead", "refused"})
        if (state == bad) return Colour::Bad;
    for (const std::string_view odd : {"resident", "draining", "pending", "warning", "starting", "waiting"})
        if (state == odd) return Colour::Warning;
    return state == "disabled" ? Colour::Faint : Colour::None;
}

void Table::print(const Terminal& terminal) const
{
    std::vector<std::size_t> widths;
    for (const auto& cell : _heading) widths.push_back(characters(cell));
    for (const auto& row : _rows)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], characters(row[i]));

    const auto printRow = [&](const std::vector<std::string>& row, bool heading)
    {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i)
        {
            const bool state = _heading[i] == "STATUS" || _heading[i] == "RESULT";
            const auto colour = heading ? Colour::Heading : state ? colourOf(row[i]) : Colour::None;
            line += terminal.paint(row[i], colour);
            if (i + 1 < row.size()) line.append(widths[i] - characters(row[i]) + 2, ' ');
        }
        line.erase(line.find_last_not_of(' ') + 1); // of empty cells at the end
        terminal.line(line);
    };
    printRow(_heading, true);
    for (const auto& row : _rows) printRow(row, false);
}

ProgressLine::ProgressLine(bool json) : _json(json), _terminal(::isatty(STDERR_FILENO) == 1) {}

void ProgressLine::show(const std::string& what, std::uint64_t bytes, std::uint64_t files)
{
    if (_json)
        std::cerr << boost::json::serialize(boost::json::object{{"progress", {{"what", what}, {"bytes", bytes}, {"files", files}}}})
                  << '\n';
    else if (_terminal)
        std::cerr << "\r\033[K" << what << ": " << bytes / (1024 * 1024) << " MiB"
                  << (files == 0 ? "" : ", " + std::to_string(files) + " files") << std::flush;
    _shown = true;
}

void ProgressLine::clear()
{
    if (_shown && _terminal && !_json) std::cerr << "\r\033[K" << std::flush;
    _shown = false;
}

} // namespace portico::host::ctl
