#include "mobile/FakePhone.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/rand.h>

#include <cstring>
#include <stdexcept>

namespace portico::tests
{

namespace
{

FakePhone& phoneOf(void* context) { return *static_cast<FakePhone*>(context); }

int http(void* context, const pm_request* request, pm_response* response)
{
    auto& phone = phoneOf(context);
    if (phone.throws) throw std::runtime_error("no network");
    if (phone.offline) return 1;
    MobileRequest sent{request->method, request->url, request->body ? std::string(request->body, request->body_size) : std::string(), {}};
    for (std::size_t i = 0; i < request->header_count; ++i) sent.headers[request->headers[i].name] = request->headers[i].value;
    const auto answer = phone.server.answer(sent, phone.group.now);
    pm_response_status(response, answer.status);
    for (const auto& [name, value] : answer.headers) pm_response_header(response, name.c_str(), value.c_str());
    pm_response_body(response, answer.body.data(), answer.body.size());
    return 0;
}

int secretGet(void* context, const char* name, pm_sink* value)
{
    auto& phone = phoneOf(context);
    if (phone.storeFails) return PM_SECRET_FAILED;
    const std::lock_guard lock(phone.group.mutex);
    const auto found = phone.group.secrets.find(name);
    if (found == phone.group.secrets.end()) return PM_SECRET_MISSING;
    pm_sink_write(value, found->second.data(), found->second.size());
    return PM_SECRET_OK;
}

int secretSet(void* context, const char* name, const void* expected, std::size_t expectedSize, const void* value, std::size_t valueSize)
{
    auto& phone = phoneOf(context);
    if (phone.storeFails) return PM_SECRET_FAILED;
    const std::lock_guard lock(phone.group.mutex);
    const auto found = phone.group.secrets.find(name);
    const bool same = found == phone.group.secrets.end()
                          ? expected == nullptr
                          : expected && found->second == std::string(static_cast<const char*>(expected), expectedSize);
    if (!same) return PM_SECRET_CHANGED;
    phone.group.secrets[name] = std::string(static_cast<const char*>(value), valueSize);
    return PM_SECRET_OK;
}

int secretDelete(void* context, const char* name)
{
    auto& phone = phoneOf(context);
    if (phone.storeFails) return PM_SECRET_FAILED;
    const std::lock_guard lock(phone.group.mutex);
    phone.group.secrets.erase(name);
    return PM_SECRET_OK;
}

int keyPublic(void* context, pm_sink* point)
{
    auto& phone = phoneOf(context);
    if (phone.keyFails) return 1;
    if (!phone.point.empty()) return pm_sink_write(point, phone.point.data(), phone.point.size());
    unsigned char bytes[65];
    std::size_t size = 0;
    EVP_PKEY_get_octet_string_param(phone.group.key.get(), OSSL_PKEY_PARAM_PUB_KEY, bytes, sizeof bytes, &size);
    return pm_sink_write(point, bytes, size);
}

int keySign(void* context, const void* data, std::size_t size, pm_sink* signature)
{
    auto& phone = phoneOf(context);
    if (!phone.signature.empty()) return pm_sink_write(signature, phone.signature.data(), phone.signature.size());
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> digest(EVP_MD_CTX_new(), EVP_MD_CTX_free);
    unsigned char bytes[80];
    std::size_t length = sizeof bytes;
    EVP_DigestSignInit(digest.get(), nullptr, EVP_sha256(), nullptr, phone.group.key.get());
    if (EVP_DigestSign(digest.get(), bytes, &length, static_cast<const unsigned char*>(data), size) != 1) return 1;
    if (!phone.rawSignatures) return pm_sink_write(signature, bytes, length);
    const unsigned char* at = bytes;
    const std::unique_ptr<ECDSA_SIG, decltype(&ECDSA_SIG_free)> pair(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(length)),
                                                                     ECDSA_SIG_free);
    unsigned char raw[64];
    BN_bn2binpad(ECDSA_SIG_get0_r(pair.get()), raw, 32);
    BN_bn2binpad(ECDSA_SIG_get0_s(pair.get()), raw + 32, 32);
    return pm_sink_write(signature, raw, sizeof raw);
}

int randomBytes(void*, void* buffer, std::size_t size)
{
    return RAND_bytes(static_cast<unsigned char*>(buffer), static_cast<int>(size)) == 1 ? 0 : 1;
}
std::int64_t clockNow(void* context) { return phoneOf(context).group.now; }

int cacheRead(void* context, const char* name, pm_sink* content)
{
    const auto& files = phoneOf(context).files;
    const auto found = files.find(name);
    return found == files.end() ? 1 : pm_sink_write(content, found->second.data(), found->second.size());
}

int cacheWrite(void* context, const char* name, const void* content, std::size_t size)
{
    auto& phone = phoneOf(context);
    // A full disk leaves a part of the file.
    phone.files[name] = std::string(static_cast<const char*>(content), phone.diskFull ? size / 2 : size);
    return phone.diskFull ? 1 : 0;
}

int cacheRemove(void* context, const char* name) { return phoneOf(context).files.erase(name) == 0; }

int isInstalled(void* context, const char* service, const char* app)
{
    phoneOf(context).installedAsked = std::string(service) + ' ' + app;
    return phoneOf(context).installed;
}

void logMessage(void* context, pm_log_level, const char* message) { (phoneOf(context).log += message) += '\n'; }

} // namespace

KeychainGroup::KeychainGroup() : key(EVP_EC_gen("P-256"), EVP_PKEY_free) {}

FakePhone::FakePhone(FakeServer& itsServer, KeychainGroup& itsGroup, const char* appName) : server(itsServer), group(itsGroup)
{
    auto settings = config();
    settings.app_name = appName;
    const auto functions = shell();
    if (pm_client_create(&settings, &functions, &client) != PM_OK) throw std::runtime_error("no client");
}

pm_config FakePhone::config()
{
    return {sizeof(pm_config),
            "https://identity.example",
            "https://launchpad.example",
            "launchpad",
            "https://launchpad.example",
            "launchpad-mobile",
            "portico-shell:/callback",
            nullptr,
            "shell"};
}

pm_shell FakePhone::shell()
{
    return {sizeof(pm_shell), this,     http,      secretGet,  secretSet,   secretDelete, keyPublic, keySign,
            randomBytes,      clockNow, cacheRead, cacheWrite, cacheRemove, isInstalled,  logMessage};
}

std::string FakePhone::callback(const std::string& url)
{
    server.challenge = fieldOf(url, "code_challenge");
    return "portico-shell:/callback?code=good-code&state=" + fieldOf(url, "state") + "&iss=https%3A%2F%2Fidentity.example";
}

pm_status FakePhone::signIn()
{
    char* url = nullptr;
    if (const auto status = pm_sign_in_start(client, &url); status != PM_OK) return status;
    const auto answer = callback(url);
    pm_string_free(url);
    return pm_sign_in_finish(client, answer.c_str());
}

std::string FakePhone::written() const
{
    auto text = log;
    for (const auto& [name, content] : files) text += content;
    return text;
}

} // namespace portico::tests
