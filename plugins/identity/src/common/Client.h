#pragma once

#include "portico/Request.h"

#include <string>
#include <string_view>

namespace portico::identity
{

/// Who is at the other end of a request, as far as it is kept.
struct Client
{
    std::string address;
    /// `Firefox on Linux`: what people recognise their sign-in by.
    std::string userAgent;
    /// Value of the Origin header, or empty.
    std::string origin;

    static Client of(const Request& request);
};

/// Browser and system of a User-Agent header in two words; the start of the header, as clean text, when they are not known.
std::string describeUserAgent(std::string_view header);

} // namespace portico::identity
