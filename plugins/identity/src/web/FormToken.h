#pragma once

#include "sessions/Cookies.h"

#include "portico/Cookie.h"
#include "portico/Request.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::identity
{

/// What a form of somebody who need not be signed in carries, so that no other site can send it for them: a token made of the browser's
/// `platform_pre` cookie and what the form is for. A page that shows one sets the cookie where there is none. Thread-safe.
class FormToken
{
public:
    explicit FormToken(Core& core) : _core(core), _cookies(core) {}

    struct Made
    {
        std::string token;
        /// Goes with the page.
        SetCookie cookie;
    };
    Made make(const Request& request, std::string_view purpose) const;
    bool holds(const Request& request, std::string_view purpose, std::string_view token) const;

private:
    std::string tokenFor(std::string_view cookie, std::string_view purpose) const;

    Core& _core;
    Cookies _cookies;
};

/// The only value of a field of a form; empty if it is not there. @throws Problem 400 if it is sent twice.
std::string fieldOf(const std::vector<std::pair<std::string, std::string>>& fields, std::string_view name);

/// All values of a field that may be sent several times (RFC 8707, 2), in their order, without repetitions and empty ones.
std::vector<std::string> valuesOf(const std::vector<std::pair<std::string, std::string>>& fields, std::string_view name);

bool isJsonType(std::string_view contentType);
/// The fields of a form that was sent. @throws Problem 415 for another kind of body, 400 for one that cannot be read
std::vector<std::pair<std::string, std::string>> formOf(std::string_view contentType, std::string_view body);

} // namespace portico::identity
