#include "host/data/postgres/PostgresArguments.h"

#include "host/data/SqlText.h"

#include <charconv>

namespace portico::host::data
{

namespace
{

/// Enough for any number and its zero byte.
constexpr std::size_t longestNumber = 32;
constexpr std::size_t largestKeptBuffer = 64 * 1024;

template <class N>
std::string_view printed(N number, char (&buffer)[longestNumber])
{
    auto end = std::to_chars(buffer, buffer + longestNumber, number).ptr;
    return {buffer, static_cast<std::size_t>(end - buffer)};
}

} // namespace

void PostgresArguments::set(std::span<const SqlValue> arguments, std::string_view sql)
{
    if (_buffer.capacity() > largestKeptBuffer) std::string().swap(_buffer);
    _values.clear();
    _lengths.clear();
    _formats.clear();
    _buffer.clear();
    // Reserved in full, so that no pointer into it moves.
    _buffer.reserve(textSize(arguments) + arguments.size() * longestNumber);

    struct Adder
    {
        PostgresArguments& to;
        std::string_view sql;
        void operator()(std::monostate) const { to.add(nullptr, 0, false); }
        void operator()(bool value) const { to.add(value ? "t" : "f", 1, false); }
        void operator()(std::int64_t value) const
        {
            char buffer[longestNumber];
            to.addText(printed(value, buffer));
        }
        void operator()(double value) const
        {
            char buffer[longestNumber];
            to.addText(printed(value, buffer));
        }
        void operator()(std::string_view value) const
        {
            requireNoNul(value, sql);
            to.addText(value);
        }
        void operator()(std::span<const char> bytes) const { to.add(bytes.empty() ? "" : bytes.data(), bytes.size(), true); }
    };
    for (const auto& argument : arguments) std::visit(Adder{*this, sql}, argument.value);
}

void PostgresArguments::addText(std::string_view text)
{
    const auto offset = _buffer.size();
    _buffer += text;
    _buffer += '\0';
    add(_buffer.data() + offset, text.size(), false);
}

void PostgresArguments::add(const char* value, std::size_t length, bool binary)
{
    _values.push_back(value);
    _lengths.push_back(static_cast<int>(length));
    _formats.push_back(binary ? 1 : 0);
}

} // namespace portico::host::data
