#include "host/plugins/package/JsonPlaces.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <algorithm>

namespace portico::host::plugins
{

JsonPlace placeOf(std::string_view text, std::size_t at)
{
    const auto before = text.substr(0, at);
    const auto lineEnd = before.rfind('\n');
    return {1 + static_cast<int>(std::count(before.begin(), before.end(), '\n')),
            static_cast<int>(at - (lineEnd == std::string_view::npos ? 0 : lineEnd + 1)) + 1};
}

JsonPlaces::JsonPlaces(std::string_view text) : _text(text)
{
    skipSpace();
    value("", _at);
}

JsonPlace JsonPlaces::place(std::string path) const
{
    for (;;)
    {
        if (const auto found = _begins.find(path); found != _begins.end()) return placeOf(_text, found->second);
        const auto end = path.find_last_of(".[");
        path.resize(end == std::string::npos ? 0 : end);
    }
}

void JsonPlaces::value(const std::string& path, std::size_t begin)
{
    _begins.emplace(path, begin);
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
        const auto begin = _at;
        const auto key = boost::json::parse(quoted()).as_string();
        const auto member = (path.empty() ? "" : path + ".") + std::string(key.data(), key.size());
        if (_begins.contains(member)) _duplicates.emplace_back(member, placeOf(_text, begin));
        skipSpace();
        ++_at; // the colon
        skipSpace();
        value(member, begin);
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
        value(path + "[" + std::to_string(index) + "]", _at);
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

void JsonPlaces::skipSpace() { _at = std::min(_text.find_first_not_of(" \t\r\n", _at), _text.size()); }

} // namespace portico::host::plugins
