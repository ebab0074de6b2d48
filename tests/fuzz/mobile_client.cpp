// The mobile library with one foreign input: a link, a callback, a response, a cache file or a stored secret.

#include "fuzz/Require.h"

#include "portico_mobile.h"

#include <cstring>
#include <map>
#include <string>
#include <string_view>

namespace
{

using portico::fuzz::require;

constexpr std::string_view secret = "stored-refresh-token", access = "issued-access-token";
/// Generator of P-256.
constexpr unsigned char point[65] = {0x04, 0x6b, 0x17, 0xd1, 0xf2, 0xe1, 0x2c, 0x42, 0x47, 0xf8, 0xbc, 0xe6, 0xe5, 0x63, 0xa4, 0x40, 0xf2,
                                     0x77, 0x03, 0x7d, 0x81, 0x2d, 0xeb, 0x33, 0xa0, 0xf4, 0xa1, 0x39, 0x45, 0xd8, 0x98, 0xc2, 0x96, 0x4f,
                                     0xe3, 0x42, 0xe2, 0xfe, 0x1a, 0x7f, 0x9b, 0x8e, 0xe7, 0xeb, 0x4a, 0x7c, 0x0f, 0x9e, 0x16, 0x2b, 0xce,
                                     0x33, 0x57, 0x6b, 0x31, 0x5e, 0xce, 0xcb, 0xb6, 0x40, 0x68, 0x37, 0xbf, 0x51, 0xf5};

struct Phone
{
    std::map<std::string, std::string, std::less<>> secrets, files;
    std::string answer, log;
    int status = 200;
};

Phone& phoneOf(void* context) { return *static_cast<Phone*>(context); }

int http(void* context, const pm_request* request, pm_response* response)
{
    const auto& phone = phoneOf(context);
    const bool tokens = std::string_view(request->url).ends_with("/oauth/token");
    const std::string issued =
        R"({"access_token":")" + std::string(access) + R"(","refresh_token":"next","expires_in":600,"token_type":"DPoP"})";
    const auto& body = tokens ? issued : phone.answer;
    pm_response_status(response, tokens ? 200 : phone.status);
    pm_response_body(response, body.data(), body.size());
    return 0;
}

int read(const std::map<std::string, std::string, std::less<>>& from, const char* name, pm_sink* to)
{
    const auto found = from.find(name);
    return found == from.end() ? 1 : pm_sink_write(to, found->second.data(), found->second.size());
}

int getSecret(void* context, const char* name, pm_sink* value) { return read(phoneOf(context).secrets, name, value); }
int setSecret(void* context, const char* name, const void*, std::size_t, const void* value, std::size_t size)
{
    phoneOf(context).secrets[name] = std::string(static_cast<const char*>(value), size);
    return PM_SECRET_OK;
}
int deleteSecret(void* context, const char* name)
{
    phoneOf(context).secrets.erase(name);
    return PM_SECRET_OK;
}
int keyPoint(void*, pm_sink* to) { return pm_sink_write(to, point, sizeof point); }
int sign(void*, const void*, std::size_t, pm_sink* to) { return pm_sink_write(to, point + 1, 64); }
int fill(void*, void* buffer, std::size_t size)
{
    std::memset(buffer, 7, size);
    return 0;
}
std::int64_t now(void*) { return 1'800'000'000; }
int readCache(void* context, const char* name, pm_sink* content) { return read(phoneOf(context).files, name, content); }
int writeCache(void* context, const char* name, const void* content, std::size_t size)
{
    phoneOf(context).files[name] = std::string(static_cast<const char*>(content), size);
    return 0;
}
int removeCache(void* context, const char* name)
{
    phoneOf(context).files.erase(name);
    return 0;
}
int installed(void*, const char*, const char*) { return 1; }
void write(void* context, pm_log_level, const char* message) { (phoneOf(context).log += message) += '\n'; }

void checkDocument(pm_client* client, pm_status (*ask)(pm_client*, pm_source, pm_document*))
{
    pm_document document{sizeof(pm_document), nullptr, 0, 0, 0};
    const auto status = ask(client, PM_NETWORK, &document);
    require((status == PM_OK) == (document.json != nullptr) && document.age_seconds >= 0);
    if (document.json) require(document.json_size == std::strlen(document.json) && document.json_size > 0);
    pm_string_free(document.json);
}

void checkLaunch(pm_client* client)
{
    pm_launch_result result{sizeof(pm_launch_result), PM_LAUNCH_WEB, nullptr};
    const auto status = pm_launch(client, "crm", PM_IOS, "/contacts", &result);
    require((status == PM_OK) == (result.url != nullptr));
    // Never a URL that a browser executes, or that leaves the device in the clear.
    if (result.url) require(std::string_view(result.url).starts_with("http"));
    pm_string_free(result.url);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size < 2) return 0;
    const std::string text(reinterpret_cast<const char*>(data) + 2, size - 2);
    constexpr int statuses[] = {200, 201, 304, 400, 401, 403, 429, 503};
    Phone phone;
    phone.status = statuses[data[1] % 8];
    phone.secrets["launchpad-mobile.session"] = R"({"issuer":"https://identity.example","id":"one","refreshToken":")" +
                                                std::string(secret) + R"(","previousToken":"","rotatedAt":1})";
    const auto kind = data[0] % 8;
    if (kind == 6) phone.files["catalog"] = text;
    if (kind == 7) phone.secrets["launchpad-mobile.session"] = text;
    if (kind < 6) phone.answer = text;
    const pm_config config{sizeof(pm_config),
                           "https://identity.example",
                           "https://launchpad.example",
                           "crm",
                           "https://crm.example",
                           "launchpad-mobile",
                           "portico-shell:/callback",
                           nullptr,
                           "shell"};
    const pm_shell shell{sizeof(pm_shell), &phone,     http,        getSecret, setSecret, deleteSecret, keyPoint, sign, fill, now,
                         readCache,        writeCache, removeCache, installed, write};
    pm_client* client = nullptr;
    require(pm_client_create(&config, &shell, &client) == PM_OK);
    char* url = nullptr;
    switch (kind)
    {
    case 0:
        pm_exchange(client, text.c_str(), &url);
        break;
    case 1:
        require(pm_sign_in_start(client, &url) == PM_OK);
        pm_sign_in_finish(client, text.c_str());
        break;
    case 2:
        pm_exchange(client, "https://launchpad.example/launch/crm?code=good", &url);
        break;
    case 3:
        checkDocument(client, pm_actions);
        break;
    case 4:
        checkLaunch(client);
        break;
    case 6:
        checkLaunch(client);
        [[fallthrough]];
    default:
        checkDocument(client, pm_catalog);
    }
    pm_string_free(url);
    pm_client_free(client);
    // Neither messages nor cache files have tokens, unless the input did.
    if (text.find(secret) != std::string::npos || text.find(access) != std::string::npos) return 0;
    for (const auto& [name, content] : phone.files)
        if (kind != 6) require(content.find(secret) == std::string::npos && content.find(access) == std::string::npos);
    require(phone.log.find(secret) == std::string::npos && phone.log.find(access) == std::string::npos);
    return 0;
}
