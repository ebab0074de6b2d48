#pragma once

#include "portico_mobile.h"

#include <curl/curl.h>

#include <memory>

namespace portico::mobiletool
{

/// Sends the requests of the library, one at a time, over connections that stay open.
class Http
{
public:
    Http();
    /// Returns 0 if there was a response.
    int send(const pm_request& request, pm_response& response);

private:
    std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> _curl;
};

} // namespace portico::mobiletool
