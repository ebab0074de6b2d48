#include "Commands.h"

#include "CallbackListener.h"
#include "Files.h"
#include "Shell.h"

#include <cstdio>
#include <memory>
#include <stdexcept>

#include <sys/wait.h>
#include <unistd.h>

namespace portico::mobiletool
{

namespace
{

using Text = std::unique_ptr<char, decltype(&pm_string_free)>;

const char* meaningOf(pm_status status)
{
    switch (status)
    {
    case PM_OK:
        return "Done.";
    case PM_INVALID_ARGUMENT:
        return "An option is not valid.";
    case PM_SIGNED_OUT:
        return "You are signed out. Run `portico-mobile sign-in`.";
    case PM_OFFLINE:
        return "The server did not respond, and nothing is cached.";
    case PM_UNAVAILABLE:
        return "The server is overloaded. Try again later.";
    case PM_REFUSED:
        return "The server refused the request.";
    case PM_BAD_ANSWER:
        return "The response of the server is not valid.";
    case PM_STORAGE:
        return "The secrets cannot be stored.";
    case PM_KEY:
        return "The key of this device cannot be used.";
    case PM_WRONG_STATE:
        return "The callback does not belong to this sign-in.";
    case PM_WRONG_ISSUER:
        return "The callback is from another server.";
    case PM_DENIED:
        return "The sign-in was declined.";
    default:
        return "The library failed.";
    }
}

/// One app: the shell, its client and what the caller chose.
class App
{
public:
    App(const Arguments& arguments, const std::string& redirectUri) : _arguments(arguments), _shell(folderOf(arguments), arguments.app)
    {
        _shell.installed = arguments.installed;
        _shell.verbose = arguments.verbose;
        const auto issuer = origin("issuer", arguments.issuer);
        const auto launchpad = origin("launchpad", arguments.launchpad);
        const pm_config config{.size = sizeof(pm_config),
                               .issuer = issuer.c_str(),
                               .launchpad_url = launchpad.c_str(),
                               .service_id = "launchpad",
                               .service_url = launchpad.c_str(),
                               .client_id = arguments.clientId.c_str(),
                               .redirect_uri = redirectUri.c_str(),
                               .callback_url = nullptr,
                               .app_name = arguments.app.c_str()};
        const auto functions = _shell.functions();
        pm_client* made = nullptr;
        if (pm_client_create(&config, &functions, &made) != PM_OK)
            throw std::runtime_error("--issuer and --launchpad are origins such as https://launchpad.example.org; --app is [a-z0-9.-]+.");
        _client.reset(made);
    }

    pm_client* client() const { return _client.get(); }

    int report(pm_status status) const
    {
        if (status == PM_OK) return 0;
        const std::string problem = pm_last_problem(client());
        std::fprintf(stderr, "portico-mobile: %s (%s%s%s)\n", meaningOf(status), pm_status_name(status), problem.empty() ? "" : ", ",
                     problem.c_str());
        return 1;
    }

    /// Prints a document; its age goes to stderr.
    int show(pm_status (*read)(pm_client*, pm_source, pm_document*)) const
    {
        pm_document document{.size = sizeof(pm_document), .json = nullptr, .json_size = 0, .from_cache = 0, .age_seconds = 0};
        const auto status = read(client(), _arguments.offline ? PM_CACHE_ONLY : PM_NETWORK, &document);
        const Text json(document.json, pm_string_free);
        if (status != PM_OK) return report(status);
        std::printf("%s\n", json.get());
        if (document.from_cache) std::fprintf(stderr, "From the cache, %lld s old.\n", static_cast<long long>(document.age_seconds));
        return 0;
    }

private:
    static std::filesystem::path folderOf(const Arguments& arguments)
    {
        if (!arguments.folder.empty()) return arguments.folder;
        const char* state = std::getenv("XDG_STATE_HOME");
        const char* home = std::getenv("HOME");
        if (state && *state) return std::filesystem::path(state) / "portico-mobile";
        if (!home || !*home) throw std::runtime_error("Name a folder with --home, because HOME is not set.");
        return std::filesystem::path(home) / ".local/state/portico-mobile";
    }

    /// An origin of the command line, which is kept for later commands.
    std::string origin(const char* name, const std::string& given) const
    {
        const auto file = folderOf(_arguments) / name;
        if (!given.empty())
        {
            if (readFile(file) != given) writeFile(file, given);
            return given;
        }
        if (auto kept = readFile(file)) return *std::move(kept);
        throw std::runtime_error(std::string("Name the server once with --") + name + " URL.");
    }

    const Arguments& _arguments;
    Shell _shell;
    std::unique_ptr<pm_client, decltype(&pm_client_free)> _client{nullptr, pm_client_free};
};

/// Opens a URL with a program, without a shell in between.
void openWith(const std::string& program, const char* url)
{
    const auto child = ::fork();
    if (child == 0)
    {
        ::execlp(program.c_str(), program.c_str(), url, nullptr);
        ::_exit(127);
    }
    int ended = 0;
    if (child < 0 || ::waitpid(child, &ended, 0) != child || ended != 0)
        std::fprintf(stderr, "portico-mobile: %s failed. Open the address in a browser yourself.\n", program.c_str());
}

int signIn(const Arguments& arguments)
{
    CallbackListener listener(arguments.port);
    const App app(arguments, listener.redirectUri());
    char* address = nullptr;
    const auto started = pm_sign_in_start(app.client(), &address);
    const Text url(address, pm_string_free);
    if (started != PM_OK) return app.report(started);
    std::printf("Open this address in a browser:\n%s\n", url.get());
    std::fflush(stdout);
    if (!arguments.open.empty()) openWith(arguments.open, url.get());
    using enum CallbackListener::Verdict;
    const auto verdict = listener.wait(std::chrono::seconds(arguments.seconds),
                                       [&](const std::string& callback)
                                       {
                                           const auto status = pm_sign_in_finish(app.client(), callback.c_str());
                                           if (status == PM_OK) return Done;
                                           app.report(status);
                                           return status == PM_WRONG_STATE || status == PM_WRONG_ISSUER ? Foreign : Failed;
                                       });
    if (verdict == Done) std::printf("You are signed in.\n");
    if (verdict == Foreign) std::fprintf(stderr, "portico-mobile: The browser did not come back in time.\n");
    return verdict == Done ? 0 : 1;
}

int launch(const Arguments& arguments, const App& app)
{
    if (arguments.words.size() != 1 || (arguments.platform != "ios" && arguments.platform != "android")) return 2;
    pm_launch_result result{.size = sizeof(pm_launch_result), .kind = PM_LAUNCH_WEB, .url = nullptr};
    const auto status = pm_launch(app.client(), arguments.words.front().c_str(), arguments.platform == "ios" ? PM_IOS : PM_ANDROID,
                                  arguments.returnTo.empty() ? nullptr : arguments.returnTo.c_str(), &result);
    const Text url(result.url, pm_string_free);
    if (status != PM_OK) return app.report(status);
    const char* kind = result.kind == PM_LAUNCH_LINK ? "link" : result.kind == PM_LAUNCH_STORE ? "store" : "web";
    std::printf("%s %s\n", kind, url.get());
    if (!arguments.open.empty()) openWith(arguments.open, url.get());
    return 0;
}

int refresh(const Arguments& arguments, const App& app)
{
    for (int i = 0; i < arguments.times; ++i)
        if (const auto status = pm_refresh(app.client()); status != PM_OK) return app.report(status);
    return 0;
}

int showState(const App& app)
{
    std::int32_t signedIn = 0;
    const auto status = pm_signed_in(app.client(), &signedIn);
    if (status != PM_OK) return app.report(status);
    std::printf("%s\n", signedIn ? "signed in" : "signed out");
    return signedIn ? 0 : 1;
}

} // namespace

int run(const Arguments& arguments)
{
    if (arguments.command == "sign-in") return signIn(arguments);
    const App app(arguments, "http://127.0.0.1:9876/callback");
    if (arguments.command == "catalog") return app.show(pm_catalog);
    if (arguments.command == "preferences") return app.show(pm_preferences);
    if (arguments.command == "actions") return app.show(pm_actions);
    if (arguments.command == "launch") return launch(arguments, app);
    if (arguments.command == "refresh") return refresh(arguments, app);
    if (arguments.command == "status") return showState(app);
    if (arguments.command == "sign-out") return app.report(pm_sign_out(app.client()));
    return 2;
}

} // namespace portico::mobiletool
