#include "host/data/postgres/PostgresScript.h"

#include "host/data/NativeConnection.h"
#include "host/data/SqlText.h"

#include "portico/Http.h"

#include <algorithm>

namespace portico::host::data
{

namespace
{

bool isWordCharacter(char c) noexcept
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80) != 0;
}

class Scanner
{
public:
    explicit Scanner(std::string_view script) : _script(script) {}

    std::vector<std::size_t> starts()
    {
        std::vector<std::size_t> found;
        bool inStatement = false;
        while (_at < _script.size())
        {
            if (skipSpaceOrComment()) continue;
            if (_script[_at] == ';')
            {
                inStatement = false;
                ++_at;
                continue;
            }
            if (!inStatement) found.push_back(_at);
            inStatement = true;
            skipToken();
        }
        return found;
    }

private:
    bool startsWith(std::string_view text) const noexcept { return _script.substr(_at).starts_with(text); }
    void skipPast(std::string_view end, std::size_t from) noexcept
    {
        auto position = _script.find(end, from);
        _at = position == std::string_view::npos ? _script.size() : position + end.size();
    }

    bool skipSpaceOrComment()
    {
        const char c = _script[_at];
        if (c == ' ' || (c >= '\t' && c <= '\r'))
            ++_at;
        else if (startsWith("--"))
            skipPast("\n", _at);
        else if (startsWith("/*"))
            skipBlockComment();
        else
            return false;
        return true;
    }

    /// They nest in PostgreSQL.
    void skipBlockComment()
    {
        int depth = 0;
        do {
            if (startsWith("/*"))
                ++depth, _at += 2;
            else if (startsWith("*/"))
                --depth, _at += 2;
            else
                ++_at;
        } while (depth > 0 && _at < _script.size());
    }

    void skipToken()
    {
        const char c = _script[_at];
        if (c == '\'' || c == '"')
            skipQuoted(c, false);
        else if (c == '$')
            skipDollarQuoted();
        else if (isWordCharacter(c))
            skipWord();
        else
            ++_at;
    }

    /// A doubled quote opens the next part, so it needs no rule.
    void skipQuoted(char quote, bool backslashes)
    {
        for (++_at; _at < _script.size(); ++_at)
        {
            if (backslashes && _script[_at] == '\\')
                ++_at;
            else if (_script[_at] == quote)
                break;
        }
        _at = std::min(_at + 1, _script.size());
    }

    void skipDollarQuoted()
    {
        auto end = _at + 1;
        while (end < _script.size() && isWordCharacter(_script[end])) ++end;
        if (end < _script.size() && _script[end] == '$')
            skipPast(_script.substr(_at, end + 1 - _at), end + 1);
        else
            _at = end; // $1
    }

    void skipWord()
    {
        const auto start = _at;
        while (_at < _script.size() && (isWordCharacter(_script[_at]) || _script[_at] == '$')) ++_at;
        const auto word = _script.substr(start, _at - start);
        if (_at < _script.size() && _script[_at] == '\'' && (word == "E" || word == "e")) skipQuoted('\'', true);
    }

    std::string_view _script;
    std::size_t _at = 0;
};

} // namespace

std::vector<std::size_t> statementStarts(std::string_view script) { return Scanner(script).starts(); }

std::optional<std::size_t> findTransactionCommand(std::string_view script, const std::vector<std::size_t>& starts)
{
    for (auto start : starts)
    {
        auto statement = script.substr(start);
        if (isRollbackToSavepoint(statement)) continue;
        const auto word = takeWord(statement);
        for (std::string_view command : {"BEGIN", "START", "COMMIT", "END", "ROLLBACK", "ABORT"})
            if (equalsIgnoreCase(word, command)) return start;
    }
    return std::nullopt;
}

std::size_t byteOfCharacter(std::string_view text, std::size_t character) noexcept
{
    std::size_t byte = 0;
    for (std::size_t seen = 0; byte < text.size(); ++byte)
        if ((text[byte] & 0xC0) != 0x80 && ++seen == character) break;
    return byte;
}

} // namespace portico::host::data
