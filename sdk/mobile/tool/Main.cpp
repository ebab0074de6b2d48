#include "Commands.h"

#include <curl/curl.h>

#include <charconv>
#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <string_view>

namespace
{

using portico::mobiletool::Arguments;

constexpr const char* usage = R"(Signs in to Portico as a mobile shell does, with files for the hardware of a phone.

  portico-mobile sign-in --issuer URL --launchpad URL [--port N] [--open PROGRAM] [--seconds N]
  portico-mobile catalog|preferences|actions [--offline]
  portico-mobile launch SERVICE --platform ios|android [--installed] [--return-to PATH] [--open PROGRAM]
  portico-mobile refresh [--times N]
  portico-mobile status
  portico-mobile sign-out

  --home FOLDER   secrets, key and cache (default: $XDG_STATE_HOME/portico-mobile)
  --app NAME      the app of the keychain group (default: shell)
  --client ID     native client (default: launchpad-mobile)
  --port N        port of the callback, 0: any (default: 9876)
  --verbose       messages of the library
)";

bool readNumber(std::string_view text, int& number)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() && number >= 0 && number <= 65535;
}

/// Returns false for an unknown option, or one without its value.
bool readArguments(int count, char** values, Arguments& arguments)
{
    const std::map<std::string_view, bool*> flags = {
        {"--offline", &arguments.offline}, {"--installed", &arguments.installed}, {"--verbose", &arguments.verbose}};
    const std::map<std::string_view, std::string*> texts = {
        {"--home", &arguments.folder},       {"--issuer", &arguments.issuer},     {"--launchpad", &arguments.launchpad},
        {"--client", &arguments.clientId},   {"--app", &arguments.app},           {"--open", &arguments.open},
        {"--platform", &arguments.platform}, {"--return-to", &arguments.returnTo}};
    const std::map<std::string_view, int*> numbers = {
        {"--port", &arguments.port}, {"--times", &arguments.times}, {"--seconds", &arguments.seconds}};
    for (int i = 1; i < count; ++i)
    {
        const std::string_view word = values[i];
        if (const auto flag = flags.find(word); flag != flags.end())
            *flag->second = true;
        else if (const auto text = texts.find(word); text != texts.end() && i + 1 < count)
            *text->second = values[++i];
        else if (const auto number = numbers.find(word); number != numbers.end() && i + 1 < count)
        {
            if (!readNumber(values[++i], *number->second)) return false;
        }
        else if (word.starts_with('-'))
            return false;
        else if (arguments.command.empty())
            arguments.command = word;
        else
            arguments.words.emplace_back(word);
    }
    return !arguments.command.empty();
}

} // namespace

int main(int count, char** values)
{
    Arguments arguments;
    if (count == 2 && std::string_view(values[1]) == "--help") return std::fputs(usage, stdout) < 0;
    int code = 2;
    try
    {
        if (readArguments(count, values, arguments) && curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK)
            code = portico::mobiletool::run(arguments);
    }
    catch (const std::exception& exception)
    {
        std::fprintf(stderr, "portico-mobile: %s\n", exception.what());
        return 1;
    }
    if (code == 2) std::fputs(usage, stderr);
    return code;
}
