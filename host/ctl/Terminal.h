#pragma once

#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::ctl
{

/// By the number that a terminal knows it by (ECMA-48, SGR).
enum class Colour
{
    None = 0,
    Heading = 1,
    Faint = 2,
    Bad = 31,
    Good = 32,
    Warning = 33
};

/// Output of text, with or without colours.
class Terminal
{
public:
    Terminal(std::ostream& out, bool colours) : _out(out), _colours(colours) {}

    /// Standard output, coloured if it is a terminal and NO_COLOR is not set.
    static Terminal standardOutput();

    std::string paint(std::string_view text, Colour colour) const;
    /// For people: as `printable`, but for what `paint` made.
    void line(std::string_view text = {}) const;
    /// For programs, byte for byte.
    std::ostream& stream() const noexcept { return _out; }

private:
    std::ostream& _out;
    bool _colours;
};

/// Text from plugins, files and the daemon without what a terminal would obey: `?` for each control character but tabs and line breaks.
std::string printable(std::string_view text);

/// Returns the colour of a state: `serving` good, `failed` bad and so on.
Colour colourOf(std::string_view state) noexcept;

/// Columns aligned on the widest cell. Widths count characters, not bytes.
class Table
{
public:
    explicit Table(std::vector<std::string> heading) : _heading(std::move(heading)) {}
    void add(std::vector<std::string> row) { _rows.push_back(std::move(row)); }
    bool empty() const noexcept { return _rows.empty(); }
    /// Cells below STATUS and RESULT are painted by what they say.
    void print(const Terminal& terminal) const;

private:
    std::vector<std::string> _heading;
    std::vector<std::vector<std::string>> _rows;
};

/// How far something long has come, on standard error: a line that is written over on a terminal, a line of JSON each time for programs,
/// nothing otherwise.
class ProgressLine
{
public:
    explicit ProgressLine(bool json);
    /// `files`: 0 if they are not counted.
    void show(const std::string& what, std::uint64_t bytes, std::uint64_t files);
    void clear();

private:
    const bool _json;
    const bool _terminal;
    bool _shown = false;
};

} // namespace portico::host::ctl
