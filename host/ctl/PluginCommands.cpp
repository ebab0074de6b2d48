#include "host/ctl/Command.h"
#include "host/ctl/FolderCheck.h"
#include "host/plugins/trust/FolderSignature.h"

#include <boost/json.hpp>

namespace portico::host::ctl
{

namespace
{

constexpr Option signOptions[] = {{"key", "FILE", "private key, as porticoctl plugin keygen makes it (required)"}};
constexpr Option trustOptions[] = {
    {"trusted-keys", "DIR", "folder of public keys, *.pub (default: that of the daemon, /etc/portico/trusted-keys.d)"}};
constexpr Option verifyOptions[] = {
    {"trusted-keys", "DIR", "folder of public keys, *.pub (default: that of the daemon, /etc/portico/trusted-keys.d)"},
    {"signed", "", "a plugin that no trusted key has signed is a failure, too"},
    {"any-signer", "", "a signature by a key that is not trusted here is no failure: where a plugin is built, not where it runs"}};

int runKeygen(const Session& session, const Arguments& arguments)
{
    const std::filesystem::path file = arguments.words().front();
    const auto key = plugins::PrivateKey::generate();
    const auto publicFile = plugins::makeKeyFiles(file, key);
    const auto fingerprint = key.publicKey().fingerprint();
    if (printedJson(session, {{"privateKey", file.string()}, {"publicKey", publicFile.string()}, {"fingerprint", fingerprint}}))
        return exitDone;
    session.terminal.line("private key  " + file.string() + "  (keep it secret: it can sign plugins)");
    session.terminal.line("public key   " + publicFile.string() + "  (for trusted-keys.d; its name there is the key's name)");
    session.terminal.line("fingerprint  " + fingerprint);
    return exitDone;
}

int runSign(const Session& session, const Arguments& arguments)
{
    const auto file = arguments.option("key");
    if (!file) throw UsageError("The private key is missing: --key FILE.");
    const auto folder = pluginFolders(arguments.words()).front();
    const auto read = plugins::ManifestReader().read(folder / "manifest.json");
    if (!read.manifest) throw std::runtime_error(read.errors.front());
    const auto key = plugins::PrivateKey::read(*file);
    const auto list = plugins::signFolder(folder, key);
    const auto fingerprint = key.publicKey().fingerprint();
    if (printedJson(session, {{"folder", folder.string()},
                              {"service", read.manifest->serviceId},
                              {"version", read.manifest->version},
                              {"files", list.files.size()},
                              {"fingerprint", fingerprint}}))
        return exitDone;
    session.terminal.line("Signed " + read.manifest->serviceId + " " + read.manifest->version + ": " + std::to_string(list.files.size()) +
                          " files, in " + (folder / plugins::sumsName).string() + " and " + std::string(plugins::signatureName) + ".");
    session.terminal.line("fingerprint  " + fingerprint);
    return exitDone;
}

/// Data that the user compares before trusting a signature: service, files, key.
struct Proof
{
    std::string service;
    std::string version;
    std::string key;
    std::vector<std::string> faults;
};

Proof proofOf(const std::filesystem::path& folder, const plugins::TrustedKeys& keys)
{
    const auto read = plugins::ManifestReader().read(folder / "manifest.json");
    auto signature = plugins::readFolderSignature(folder, folder, keys);
    Proof proof{{}, {}, signature.key, std::move(signature.faults)};
    proof.faults.insert(proof.faults.begin(), read.errors.begin(), read.errors.end());
    if (read.manifest)
    {
        proof.service = read.manifest->serviceId;
        proof.version = read.manifest->version;
    }
    if (!signature.signedByKey)
        proof.faults.push_back((folder / plugins::signatureName).string() + ": expected a signature by one of the keys in " + keys.text() +
                               ", found none: porticoctl plugin sign makes one");
    if (!proof.faults.empty()) proof.faults.insert(proof.faults.end(), keys.faults.begin(), keys.faults.end());
    return proof;
}

int runVerifySignature(const Session& session, const Arguments& arguments)
{
    const auto keys = trustedKeys(arguments);
    json::array all;
    bool good = true;
    for (const auto& folder : pluginFolders(arguments.words()))
    {
        const auto proof = proofOf(folder, keys);
        good = good && proof.faults.empty();
        all.push_back({{"folder", folder.string()},
                       {"service", proof.service.empty() ? json::value() : json::value(proof.service)},
                       {"ok", proof.faults.empty()},
                       {"key", proof.faults.empty() ? json::value(proof.key) : json::value()},
                       {"faults", json::value_from(proof.faults)}});
        if (session.json) continue;
        const auto& terminal = session.terminal;
        const std::string state = proof.faults.empty() ? "ok" : "refused";
        terminal.line(terminal.paint(state, colourOf(state)) + "  " + folder.string() +
                      (proof.faults.empty() ? ": " + proof.service + " " + proof.version + ", signed by " + proof.key : ""));
        for (const auto& fault : proof.faults) terminal.line("  " + fault);
    }
    printedJson(session, {{"ok", good}, {"plugins", std::move(all)}});
    return good ? exitDone : exitRefused;
}

std::string signer(const FolderCheck& check)
{
    if (!check.key.empty()) return "by " + check.key;
    if (check.isSigned) return "by a key that is not trusted here";
    return check.builtIn ? "none, it came with the host" : "none";
}

int runKeys(const Session& session, const Arguments& arguments)
{
    const auto keys = trustedKeys(arguments);
    json::array all;
    for (const auto& key : keys.keys) all.push_back({{"name", key.name}, {"fingerprint", key.key.fingerprint()}});
    showList(session, {{"directory", keys.folder.string()}, {"keys", all}, {"faults", json::value_from(keys.faults)}}, "keys",
             {{"KEY", "name"}, {"FINGERPRINT", "fingerprint"}}, "No key is trusted: there is none in " + keys.folder.string() + ".");
    if (!session.json)
        for (const auto& fault : keys.faults) session.terminal.line(session.terminal.paint("error", Colour::Bad) + ": " + fault);
    return keys.faults.empty() ? exitDone : exitRefused;
}

void printCheck(const Terminal& terminal, const FolderCheck& check)
{
    const std::string state = check.ok() ? "ok" : "refused";
    const auto name = check.manifest ? ": " + check.manifest->serviceId + " " + check.manifest->version : std::string();
    terminal.line(terminal.paint(state, colourOf(state)) + "  " + check.folder.string() + name);
    Table table({"  CHECK", "RESULT", "DETAIL"});
    for (const auto& step : check.steps)
    {
        const auto detail = step.name == "signature" && step.faults.empty() ? signer(check) : std::string();
        table.add({"  " + step.name, step.faults.empty() ? "ok" : "failed", detail});
    }
    table.print(terminal);
    for (const auto& step : check.steps)
        for (const auto& fault : step.faults) terminal.line("  " + step.name + ": " + fault);
    for (const auto& warning : check.warnings) terminal.line("  " + terminal.paint("warning", Colour::Warning) + ": " + warning);
}

int runVerify(const Session& session, const Arguments& arguments)
{
    if (arguments.has("signed") && arguments.has("any-signer")) throw UsageError("Either --signed or --any-signer.");
    auto keys = trustedKeys(arguments);
    keys.anySigner = arguments.has("any-signer");
    const plugins::ManifestReader reader;
    const auto folders = arguments.words().empty() ? installedPlugins() : pluginFolders(arguments.words());
    if (folders.empty()) throw std::runtime_error("No plugin is installed beside this porticoctl: name the folder of one.");
    json::array all;
    bool good = true;
    for (const auto& folder : folders)
    {
        auto check = checkPlugin(reader, folder, keys);
        if (arguments.has("signed") && !check.isSigned)
            check.steps.push_back({"signed", {"expected a signature by one of the keys in " + keys.text() + ", found none"}});
        good = good && check.ok();
        all.push_back(checkJson(check));
        if (!session.json) printCheck(session.terminal, check);
    }
    printedJson(session, {{"ok", good}, {"plugins", std::move(all)}});
    return good ? exitDone : exitRefused;
}

constexpr Command pluginTable[] = {
    {"verify", "[folder]...", "Check plugin folders as the daemon does before it loads them; needs no daemon",
     "Manifest, files, hashes and signature, library (fingerprint, symbols, dependencies), migrations for both databases. Exit status 1 "
     "if the daemon would refuse one. Without a folder: every plugin installed beside porticoctl.",
     "porticoctl verify\nporticoctl verify build/lib/portico/plugins/acme-notes\nporticoctl --json verify --signed acme-notes", 0, 1000,
     runVerify, verifyOptions},
    {"plugin keygen", "<file>", "Create a signing key for plugins: FILE, and the public key as FILE.pub",
     "Neither file is ever overwritten. The public one goes to trusted-keys.d of every daemon that is to trust the key. Needs no daemon.",
     "porticoctl plugin keygen acme.key", 1, 1, runKeygen},
    {"plugin sign", "<folder>", "Sign a plugin folder: hashes every file and signs the list",
     "Writes SHA256SUMS and SHA256SUMS.sig; sign last, since later changes are refused. Needs no daemon.",
     "porticoctl plugin sign --key acme.key stage/acme-notes", 1, 1, runSign, signOptions},
    {"plugin keys", "", "List the trusted signing keys with their fingerprints",
     "Exit status 1 if one of the files is unusable. Needs no daemon.", "porticoctl plugin keys", 0, 0, runKeys, trustOptions},
    {"plugin verify", "<folder>...", "Check that a trusted key signed a plugin folder and no file has changed since",
     "porticoctl verify checks everything else too. Needs no daemon.",
     "porticoctl plugin verify /usr/lib/portico/plugins/acme-notes\nporticoctl plugin verify --trusted-keys ./keys stage/acme-notes", 1,
     1000, runVerifySignature, trustOptions},
};

} // namespace

std::span<const Command> pluginCommands() noexcept { return pluginTable; }

} // namespace portico::host::ctl
