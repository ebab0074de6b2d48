#include "Shell.h"

#include "Files.h"

#include <openssl/rand.h>

#include <cstdio>
#include <ctime>
#include <exception>
#include <optional>

namespace portico::mobiletool
{

namespace
{

Shell& shellOf(void* context) { return *static_cast<Shell*>(context); }

/// Calls a function. An exception of it is printed and becomes `failure`.
template <class Function>
int guarded(int failure, Function function)
{
    try
    {
        return function();
    }
    catch (const std::exception& exception)
    {
        std::fprintf(stderr, "portico-mobile: %s\n", exception.what());
        return failure;
    }
}

int sendRequest(void* context, const pm_request* request, pm_response* response)
{
    return guarded(1, [&] { return shellOf(context).http.send(*request, *response); });
}

int getSecret(void* context, const char* name, pm_sink* value)
{
    return guarded(PM_SECRET_FAILED,
                   [&]
                   {
                       const auto secret = shellOf(context).secrets.find(name);
                       if (!secret) return PM_SECRET_MISSING;
                       return pm_sink_write(value, secret->data(), secret->size()) == 0 ? PM_SECRET_OK : PM_SECRET_FAILED;
                   });
}

int setSecret(void* context, const char* name, const void* expected, std::size_t expectedSize, const void* value, std::size_t valueSize)
{
    return guarded(PM_SECRET_FAILED,
                   [&]
                   {
                       std::optional<std::string> before;
                       if (expected) before.emplace(static_cast<const char*>(expected), expectedSize);
                       const bool done = shellOf(context).secrets.replace(name, before, {static_cast<const char*>(value), valueSize});
                       return done ? PM_SECRET_OK : PM_SECRET_CHANGED;
                   });
}

int deleteSecret(void* context, const char* name)
{
    return guarded(PM_SECRET_FAILED,
                   [&]
                   {
                       shellOf(context).secrets.remove(name);
                       return PM_SECRET_OK;
                   });
}

int keyPoint(void* context, pm_sink* point)
{
    return guarded(1,
                   [&]
                   {
                       const auto bytes = shellOf(context).key.point();
                       return pm_sink_write(point, bytes.data(), bytes.size());
                   });
}

int signData(void* context, const void* data, std::size_t size, pm_sink* signature)
{
    return guarded(1,
                   [&]
                   {
                       const auto bytes = shellOf(context).key.sign({static_cast<const char*>(data), size});
                       return pm_sink_write(signature, bytes.data(), bytes.size());
                   });
}

int fillRandom(void*, void* buffer, std::size_t size)
{
    return RAND_bytes(static_cast<unsigned char*>(buffer), static_cast<int>(size)) == 1 ? 0 : 1;
}

std::int64_t clockSeconds(void*) { return std::time(nullptr); }

int readCache(void* context, const char* name, pm_sink* content)
{
    return guarded(1,
                   [&]
                   {
                       const auto bytes = readFile(shellOf(context).cache / name);
                       return bytes ? pm_sink_write(content, bytes->data(), bytes->size()) : 1;
                   });
}

int writeCache(void* context, const char* name, const void* content, std::size_t size)
{
    return guarded(1,
                   [&]
                   {
                       writeFile(shellOf(context).cache / name, {static_cast<const char*>(content), size});
                       return 0;
                   });
}

int removeCache(void* context, const char* name)
{
    return guarded(1,
                   [&]
                   {
                       std::filesystem::remove(shellOf(context).cache / name);
                       return 0;
                   });
}

int askInstalled(void* context, const char*, const char*) { return shellOf(context).installed ? 1 : 0; }

void writeLog(void* context, pm_log_level level, const char* message)
{
    if (shellOf(context).verbose || level == PM_LOG_WARNING) std::fprintf(stderr, "portico-mobile: %s\n", message);
}

/// Makes the folder before the members that use it.
std::filesystem::path prepared(const std::filesystem::path& folder)
{
    makeFolder(folder);
    return folder;
}

} // namespace

Shell::Shell(const std::filesystem::path& folder, const std::string& app)
    : key(prepared(folder) / "device", folder / ".lock"), secrets(folder / "secrets", key), cache(folder / "cache" / app)
{
    makeFolder(folder / "cache");
    makeFolder(cache);
}

pm_shell Shell::functions()
{
    return {.size = sizeof(pm_shell),
            .context = this,
            .http = sendRequest,
            .secret_get = getSecret,
            .secret_compare_and_set = setSecret,
            .secret_delete = deleteSecret,
            .key_public = keyPoint,
            .key_sign = signData,
            .random = fillRandom,
            .now = clockSeconds,
            .cache_read = readCache,
            .cache_write = writeCache,
            .cache_remove = removeCache,
            .is_installed = askInstalled,
            .log = writeLog};
}

} // namespace portico::mobiletool
