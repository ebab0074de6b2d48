#include "host/plugins/package/JsonPlaces.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

namespace portico::host::plugins
{

JsonPlaces::JsonPlaces(std::string_view text) : _text(text) { value(""); }

int JsonPlaces::line(std::string path) const
{
    for (;;)
    {
        if (const auto found = _lines.find(path); found != _lines.end()) return found->second;
        const auto end = path.find_last_of(".[");
        path.resize(end == std::string::npos ? 0 : end);
    }
}

void JsonPlaces::value(const std::string& path)
{
    skipSpace();
    _lines.emplace(path, _line);
    const char first = _text[_at];
    if (first == '{')
        object(path);
    else if (first == '[')
        array(path);
    else if (first == '"')
        quoted();
    else
        _at = std::min(_text.find_first_of(",]} \t\r\n", _at), _text.size());
}

void JsonPlaces::object(const std::string& path)
{
    ++_at;
    for (;;)
    {
        skipSpace();
        if (_text[_at] == '}') break;
        const auto key = boost::json::parse(quoted()).as_string();
        const auto member = (path.empty() ? "" : path + ".") + std::string(key.data(), key.size());
        if (_lines.contains(member)) _duplicates.emplace_back(member, _line);
        skipSpace();
        ++_at; // the colon
        value(member);
        skipSpace();
        if (_text[_at] == ',') ++_at;
    }
    ++_at;
}

void JsonPlaces::array(const std::string& path)
{
    ++_at;
    for (int index = 0;; ++index)
    {
        skipSpace();
        if (_text[_at] == ']') break;
        value(path + "[" + std::to_string(index) + "]");
        skipSpace();
        if (_text[_at] == ',') ++_at;
    }
    ++_at;
}

std::string_view JsonPlaces::quoted()
{
    const auto begin = _at++;
    while (_text[_at] != '"') _at += _text[_at] == '\\' ? 2 : 1;
    return _text.substr(begin, ++_at - begin);
}

void JsonPlaces::skipSpace()
{
    for (; _at < _text.size(); ++_at)
    {
        const char c = _text[_at];
        if (c == '\n')
            ++_line;
        else if (c != ' ' && c != '\t' && c != '\r')
            break;
    }
}

} // namespace portico::host::plugins
