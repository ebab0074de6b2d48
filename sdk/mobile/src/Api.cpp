#include "Client.h"

#include <cstdlib>
#include <cstring>
#include <new>

struct pm_client
{
    pm_client(const pm_config& config, const pm_shell& shell) : client(config, shell) {}
    portico::mobile::Client client;
};

namespace
{

using namespace portico::mobile;

/// Runs a call of the interface: nothing is thrown beyond it.
template <typename Call>
pm_status guarded(pm_client* handle, Call call) noexcept
{
    try
    {
        if (handle) handle->client.lastProblem.clear();
        call();
        return PM_OK;
    }
    catch (const Failure& failure)
    {
        if (handle) handle->client.lastProblem.assign(failure.problem, 0, 80);
        return failure.status;
    }
    catch (const std::bad_alloc&)
    {
        return PM_NO_MEMORY;
    }
    catch (...)
    {
        return PM_INTERNAL;
    }
}

/// A copy that pm_string_free frees.
char* copyOf(const std::string& text)
{
    auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
    if (!copy) throw std::bad_alloc();
    std::memcpy(copy, text.c_str(), text.size() + 1);
    return copy;
}

bool isComplete(const pm_shell& shell)
{
    return shell.http && shell.secret_get && shell.secret_compare_and_set && shell.secret_delete && shell.key_public && shell.key_sign &&
           shell.random && shell.now && shell.cache_read && shell.cache_write && shell.cache_remove && shell.is_installed;
}

bool isSource(pm_source source) { return source == PM_NETWORK || source == PM_CACHE_ONLY; }

pm_status readDocument(pm_client* handle, pm_source source, pm_document* out, Document (Client::*read)(pm_source)) noexcept
{
    if (!out || out->size < sizeof(pm_document)) return PM_INVALID_ARGUMENT;
    out->json = nullptr;
    out->json_size = 0;
    out->from_cache = 0;
    out->age_seconds = 0;
    if (!handle || !isSource(source)) return PM_INVALID_ARGUMENT;
    return guarded(handle,
                   [&]
                   {
                       const auto document = (handle->client.*read)(source);
                       out->json = copyOf(document.json);
                       out->json_size = document.json.size();
                       out->from_cache = document.fromCache ? 1 : 0;
                       out->age_seconds = document.age;
                   });
}

} // namespace

extern "C"
{

    uint32_t pm_version(void) { return PM_VERSION; }

    const char* pm_status_name(pm_status status)
    {
        switch (status)
        {
        case PM_OK:
            return "PM_OK";
        case PM_INVALID_ARGUMENT:
            return "PM_INVALID_ARGUMENT";
        case PM_SIGNED_OUT:
            return "PM_SIGNED_OUT";
        case PM_OFFLINE:
            return "PM_OFFLINE";
        case PM_UNAVAILABLE:
            return "PM_UNAVAILABLE";
        case PM_REFUSED:
            return "PM_REFUSED";
        case PM_BAD_ANSWER:
            return "PM_BAD_ANSWER";
        case PM_STORAGE:
            return "PM_STORAGE";
        case PM_KEY:
            return "PM_KEY";
        case PM_WRONG_STATE:
            return "PM_WRONG_STATE";
        case PM_WRONG_ISSUER:
            return "PM_WRONG_ISSUER";
        case PM_DENIED:
            return "PM_DENIED";
        case PM_NO_MEMORY:
            return "PM_NO_MEMORY";
        case PM_INTERNAL:
            return "PM_INTERNAL";
        }
        return "unknown";
    }

    void pm_string_free(char* text) { std::free(text); }

    int pm_sink_write(pm_sink* sink, const void* data, size_t size)
    {
        if (!sink || (!data && size > 0)) return 1;
        if (sink->overflowed || size > sink->limit - sink->bytes.size())
        {
            sink->overflowed = true;
            return 1;
        }
        return guarded(nullptr, [&] { sink->bytes.append(static_cast<const char*>(data), size); }) == PM_OK ? 0 : 1;
    }

    int pm_response_status(pm_response* response, int status)
    {
        if (!response) return 1;
        response->status = status;
        return 0;
    }

    int pm_response_header(pm_response* response, const char* name, const char* value)
    {
        if (!response || !name || !value || response->headers.size() >= 100) return 1;
        return guarded(nullptr, [&] { response->headers.emplace_back(name, value); }) == PM_OK ? 0 : 1;
    }

    int pm_response_body(pm_response* response, const void* data, size_t size)
    {
        return response ? pm_sink_write(&response->body, data, size) : 1;
    }

    pm_status pm_client_create(const pm_config* config, const pm_shell* shell, pm_client** client)
    {
        if (!client) return PM_INVALID_ARGUMENT;
        *client = nullptr;
        if (!config || !shell || config->size < sizeof(pm_config) || shell->size < sizeof(pm_shell) || !isComplete(*shell))
            return PM_INVALID_ARGUMENT;
        return guarded(nullptr, [&] { *client = new pm_client(*config, *shell); });
    }

    void pm_client_free(pm_client* client) { delete client; }

    const char* pm_last_problem(const pm_client* client) { return client ? client->client.lastProblem.c_str() : ""; }

    pm_status pm_sign_in_start(pm_client* client, char** url)
    {
        if (!url) return PM_INVALID_ARGUMENT;
        *url = nullptr;
        if (!client) return PM_INVALID_ARGUMENT;
        return guarded(client, [&] { *url = copyOf(client->client.startSignIn()); });
    }

    pm_status pm_sign_in_finish(pm_client* client, const char* callback_url)
    {
        if (!client || !callback_url) return PM_INVALID_ARGUMENT;
        return guarded(client, [&] { client->client.finishSignIn(callback_url); });
    }

    pm_status pm_signed_in(pm_client* client, int32_t* signed_in)
    {
        if (!signed_in) return PM_INVALID_ARGUMENT;
        *signed_in = 0;
        if (!client) return PM_INVALID_ARGUMENT;
        return guarded(client, [&] { *signed_in = client->client.isSignedIn() ? 1 : 0; });
    }

    pm_status pm_refresh(pm_client* client)
    {
        if (!client) return PM_INVALID_ARGUMENT;
        return guarded(client, [&] { client->client.refresh(); });
    }

    pm_status pm_sign_out(pm_client* client)
    {
        if (!client) return PM_INVALID_ARGUMENT;
        return guarded(client, [&] { client->client.signOut(); });
    }

    pm_status pm_catalog(pm_client* client, pm_source source, pm_document* document)
    {
        return readDocument(client, source, document, &Client::catalog);
    }

    pm_status pm_preferences(pm_client* client, pm_source source, pm_document* document)
    {
        return readDocument(client, source, document, &Client::preferences);
    }

    pm_status pm_actions(pm_client* client, pm_source source, pm_document* document)
    {
        return readDocument(client, source, document, &Client::actions);
    }

    pm_status pm_launch(pm_client* client, const char* service_id, pm_platform platform, const char* return_to, pm_launch_result* result)
    {
        if (!result || result->size < sizeof(pm_launch_result)) return PM_INVALID_ARGUMENT;
        result->kind = PM_LAUNCH_WEB;
        result->url = nullptr;
        if (!client || !service_id) return PM_INVALID_ARGUMENT;
        return guarded(client,
                       [&]
                       {
                           const auto choice = client->client.launch(service_id, platform, return_to ? return_to : "");
                           result->url = copyOf(choice.url);
                           result->kind = choice.kind;
                       });
    }

    pm_status pm_exchange(pm_client* client, const char* link, char** return_to)
    {
        if (!return_to) return PM_INVALID_ARGUMENT;
        *return_to = nullptr;
        if (!client || !link) return PM_INVALID_ARGUMENT;
        return guarded(client, [&] { *return_to = copyOf(client->client.exchange(link)); });
    }

    pm_status pm_lockup(pm_theme theme, uint32_t height, char** svg)
    {
        if (!svg) return PM_INVALID_ARGUMENT;
        *svg = nullptr;
        return guarded(nullptr, [&] { *svg = copyOf(lockup(theme, height)); });
    }

} // extern "C"
