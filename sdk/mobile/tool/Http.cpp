#include "Http.h"

#include <stdexcept>
#include <string>
#include <string_view>

namespace portico::mobiletool
{

namespace
{

std::size_t receiveBody(char* data, std::size_t, std::size_t size, void* response)
{
    return pm_response_body(static_cast<pm_response*>(response), data, size) == 0 ? size : 0;
}

std::size_t receiveHeader(char* data, std::size_t, std::size_t size, void* response)
{
    const std::string_view line(data, size);
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) return size;
    const std::string name(line.substr(0, colon));
    auto value = line.substr(colon + 1);
    const auto first = value.find_first_not_of(" \t\r\n");
    value = first == std::string_view::npos ? std::string_view() : value.substr(first, value.find_last_not_of(" \t\r\n") - first + 1);
    return pm_response_header(static_cast<pm_response*>(response), name.c_str(), std::string(value).c_str()) == 0 ? size : 0;
}

} // namespace

Http::Http() : _curl(curl_easy_init(), curl_easy_cleanup)
{
    if (!_curl) throw std::runtime_error("libcurl cannot be used.");
}

int Http::send(const pm_request& request, pm_response& response)
{
    auto* curl = _curl.get();
    // Keeps connections and drops what the request before has set: no cookies, no redirects, no cache.
    curl_easy_reset(curl);
    std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> headers(nullptr, curl_slist_free_all);
    // Without it libcurl waits for "100 Continue" before a longer body.
    auto* list = curl_slist_append(nullptr, "Expect:");
    for (std::size_t i = 0; list && i < request.header_count; ++i)
    {
        headers.reset(list);
        const auto line = std::string(request.headers[i].name) + ": " + request.headers[i].value;
        list = curl_slist_append(headers.release(), line.c_str());
    }
    headers.reset(list);
    curl_easy_setopt(curl, CURLOPT_URL, request.url);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request.method);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(request.timeout_ms));
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, receiveBody);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &response);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, receiveHeader);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, &response);
    if (request.body)
    {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request.body);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body_size));
    }
    if (curl_easy_perform(curl) != CURLE_OK) return 1;
    long status = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    return pm_response_status(&response, static_cast<int>(status));
}

} // namespace portico::mobiletool
