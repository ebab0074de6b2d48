#include "host/ctl/Command.h"
#include "host/ctl/Password.h"

#include <boost/json.hpp>

namespace portico::host::ctl
{

namespace
{

constexpr Option migrateOptions[] = {{"check", "", "only say what would be done; exit status 1 if anything is pending"}};

constexpr Option jobListOptions[] = {{"service", "ID", "only of this service"},
                                     {"status", "STATUS", "waiting, running, dead (default: dead) or all"},
                                     {"limit", "N", "at most so many (default: 50)"}};

constexpr Option joinOptions[] = {{"email", "ADDRESS", "e-mail address of the account (required)"},
                                  {"organization", "SLUG", "organization to join; made if there is none"},
                                  {"organization-name", "NAME", "its name when it is made (default: the slug)"},
                                  {"role", "ROLE", "role in the organization (default: member)"},
                                  {"operator", "", "make the user an operator of the platform (platform_super_admin)"},
                                  {"platform-role", "ROLE", "platform_super_admin or platform_admin"}};

constexpr Option userOptions[] = {{"email", "ADDRESS", "e-mail address to sign in with (required)"},
                                  {"name", "NAME", "name to show (default: the part before the @)"},
                                  {"organization", "SLUG", "organization to join; made if there is none"},
                                  {"organization-name", "NAME", "its name when it is made (default: the slug)"},
                                  {"role", "ROLE", "role in the organization (default: member)"},
                                  {"operator", "", "make the user an operator of the platform (platform_super_admin)"},
                                  {"platform-role", "ROLE", "platform_super_admin or platform_admin"},
                                  {"password-file", "FILE", "read the password from the first line of a file"},
                                  {"password-stdin", "", "read the password from the standard input"}};

int runMigrate(const Session& session, const Arguments& arguments)
{
    const bool checking = arguments.has("check");
    auto request = arguments.wordsAs("services");
    request["check"] = checking;
    const auto answer = session.ask(std::move(request));
    showList(session, answer, "migrations", {{"SERVICE", "service"}, {"MIGRATION", "name"}, {"STATUS", "status"}, {"DETAIL", "detail"}},
             "No service has migrations.");
    return checking && flag(answer, "pending") ? exitRefused : exitDone;
}

int runJobsList(const Session& session, const Arguments& arguments)
{
    json::object request{{"status", arguments.option("status").value_or("dead")},
                         {"limit", wholeNumber(arguments.option("limit").value_or("50"))}};
    if (const auto service = arguments.option("service")) request["service"] = *service;
    return showList(session, session.ask(std::move(request)), "jobs",
                    {{"JOB", "id"},
                     {"SERVICE", "service"},
                     {"TYPE", "type"},
                     {"STATUS", "status"},
                     {"ATTEMPTS", "attempts"},
                     {"DUE", "dueAt"},
                     {"LAST ERROR", "error"}},
                    "No such jobs.");
}

int changeJob(const Session& session, const Arguments& arguments, std::string_view done)
{
    const auto answer = session.ask(arguments.wordAs("id"));
    if (!printedJson(session, answer)) session.terminal.line("Job " + arguments.words().front() + std::string(done));
    return exitDone;
}

int runJobsRetry(const Session& session, const Arguments& arguments) { return changeJob(session, arguments, " will be run again."); }

int runJobsDiscard(const Session& session, const Arguments& arguments) { return changeJob(session, arguments, " is gone."); }

/// The password that was given, or a new one.
std::string password(const Session& session, const Arguments& arguments, bool& made)
{
    if (arguments.has("password-stdin") && arguments.has("password-file"))
        throw UsageError("Give one of --password-file and --password-stdin.");
    if (arguments.has("password-stdin")) return readPassword(session.input);
    if (const auto file = arguments.option("password-file")) return readPasswordFile(*file);
    made = true;
    return makePassword();
}

json::object accountOf(const Arguments& arguments)
{
    const auto email = arguments.option("email");
    if (!email || email->empty()) throw UsageError("--email is missing.");
    if (arguments.has("operator") && arguments.has("platform-role")) throw UsageError("Give one of --operator and --platform-role.");
    const auto slug = arguments.option("organization").value_or("");
    if (slug.empty() && arguments.has("role")) throw UsageError("--role is one in an organization: name it with --organization.");
    return {{"email", *email},
            {"organizationSlug", slug},
            {"organizationName", arguments.option("organization-name").value_or(slug)},
            {"role", arguments.option("role").value_or("member")},
            {"platformRole", arguments.has("operator") ? "platform_super_admin" : arguments.option("platform-role").value_or("")}};
}

void showAccount(const Session& session, const json::value& answer)
{
    session.terminal.line("user          " + text(answer, "userId") + "  " + text(answer, "email"));
    if (const auto organization = text(answer, "organizationId"); !organization.empty())
        session.terminal.line("organization  " + organization);
}

int runUserCreate(const Session& session, const Arguments& arguments)
{
    auto account = accountOf(arguments);
    bool made = false;
    const auto secret = password(session, arguments, made);
    const auto email = text(account, "email");
    account["displayName"] = arguments.option("name").value_or(email.substr(0, email.find('@')));
    account["password"] = secret;
    auto answer = session.ask(std::move(account));
    if (made && answer.is_object()) answer.get_object()["password"] = secret;
    if (printedJson(session, answer)) return exitDone;
    showAccount(session, answer);
    if (made) session.terminal.line("password      " + secret + "  (shown this once)");
    return exitDone;
}

int runUserJoin(const Session& session, const Arguments& arguments)
{
    const auto answer = session.ask(accountOf(arguments));
    if (!printedJson(session, answer)) showAccount(session, answer);
    return exitDone;
}

constexpr Command dataTable[] = {
    {"migrate", "[service]...", "Migrate the tables of services",
     "Starting or reloading a service does the same, so an upgrade of the packages migrates. --check lists what is pending for the "
     "installed files, for example of a disabled service.",
     "porticoctl migrate --check\nporticoctl migrate crm", 0, 100, runMigrate, migrateOptions},
    {"jobs list", "", "List background jobs, dead ones first", "", "porticoctl jobs list\nporticoctl jobs list --status all --service crm",
     0, 0, runJobsList, jobListOptions},
    {"jobs retry", "<job>", "Run a dead job again", "", "porticoctl jobs retry job_01jd8x2m9r5qk3v7t1w4y6z8ab", 1, 1, runJobsRetry},
    {"jobs discard", "<job>", "Remove a dead job", "", "porticoctl jobs discard job_01jd8x2m9r5qk3v7t1w4y6z8ab", 1, 1, runJobsDiscard},
    {"user create", "", "Create an account, for example the first operator",
     "Without --password-file and --password-stdin a password is generated and shown once. An existing account is an error: use user "
     "join.",
     "porticoctl user create --email operator@example.org --operator\n"
     "porticoctl user create --email anna@example.org --organization acme --role owner --password-file ./anna.pw",
     0, 0, runUserCreate, userOptions},
    {"user join", "", "Add an existing account to an organization, or change its role or platform role",
     "Name, password and other data of the user stay.", "porticoctl user join --email anna@example.org --organization zoo --role admin", 0,
     0, runUserJoin, joinOptions},
};

} // namespace

std::span<const Command> dataCommands() noexcept { return dataTable; }

} // namespace portico::host::ctl
