#include "host/config/Check.h"

#include "host/config/Values.h"

#include <algorithm>
#include <map>
#include <sys/stat.h>
#include <unistd.h>

namespace portico::host::config
{

namespace
{

/// True if the first part of the key belongs to the host, so that a misspelling of it cannot be a plugin's business.
bool isHostKey(std::string_view key)
{
    const auto section = key.substr(0, key.find('.'));
    for (const auto& group : settingGroups())
        for (const auto& setting : group.settings)
            if (setting.key.substr(0, setting.key.find('.')) == section) return true;
    return false;
}

Finding unknownKey(const Catalog& catalog, const Entry& entry)
{
    Finding finding{Finding::Severity::Error, entry.source, entry.key, "a known setting", "an unknown one", {}, {}};
    if (const auto nearest = catalog.nearest(entry.key); !nearest.empty())
        finding.remedy = "Did you mean " + nearest + "?";
    else
        finding.remedy = "portico.properties(5) lists the settings; those of a service stand in its manifest.";
    if (!isHostKey(entry.key)) finding.serviceId = entry.key.substr(0, entry.key.find('.'));
    return finding;
}

std::string secretFault(const std::string& value)
{
    if (value.empty() || ::access(value.c_str(), R_OK) == 0) return {};
    return "a file that the daemon can read";
}

void checkValue(const Rule& rule, const Entry& entry, std::vector<Finding>& findings)
{
    auto expected = rule.fault ? rule.fault(entry.value) : fault(rule.kind, rule.minimum, rule.maximum, rule.choices, entry.value);
    if (expected.empty() && rule.kind == Kind::SecretFile) expected = secretFault(entry.value);
    if (expected.empty()) return;
    const auto found = entry.value.empty() ? std::string("nothing") : "'" + entry.value + "'";
    // A database URL may be refused because it holds a password: it is not repeated.
    findings.push_back({Finding::Severity::Error,
                        entry.source,
                        entry.key,
                        std::move(expected),
                        rule.kind == Kind::Database ? std::string("another form") : found,
                        {},
                        rule.serviceId});
}

void checkSecrecy(const Rule& rule, const Entry& entry, std::vector<Finding>& findings)
{
    struct stat status = {};
    if (rule.kind != Kind::SecretFile || entry.value.empty() || ::stat(entry.value.c_str(), &status) != 0) return;
    if ((status.st_mode & S_IRWXO) == 0) return;
    findings.push_back({Finding::Severity::Warning, entry.source, entry.key, "a file for its owner, or its group, alone",
                        "'" + entry.value + "', which everybody may use",
                        "chmod o-rwx it, and change the secret if others use this machine.", rule.serviceId});
}

void checkRepetition(const std::vector<Entry>& entries, std::vector<Finding>& findings)
{
    std::map<std::pair<std::string, std::string>, int> firstLines;
    for (const auto& entry : entries)
    {
        if (entry.source.line == 0) continue;
        const auto [first, isNew] = firstLines.try_emplace({entry.source.name, entry.key}, entry.source.line);
        if (isNew) continue;
        findings.push_back({Finding::Severity::Error,
                            entry.source,
                            entry.key,
                            "each key once in a file",
                            "the same key as in line " + std::to_string(first->second),
                            "Remove one of the two lines.",
                            {}});
    }
}

} // namespace

std::string Finding::text() const
{
    std::string text = source.text();
    if (!key.empty()) text.append(": ").append(key);
    text.append(": expected ").append(expected).append(", found ").append(found).append(".");
    if (!remedy.empty()) text.append(" ").append(remedy);
    return text;
}

std::vector<Finding> check(const Catalog& catalog, const Layers& layers)
{
    std::vector<Finding> findings;
    for (const auto& fault : layers.faults)
        findings.push_back({Finding::Severity::Error, fault.source, {}, fault.expected, "'" + fault.found + "'", {}, {}});
    for (const auto& entry : layers.entries)
    {
        if (const auto rule = catalog.find(entry.key))
        {
            checkValue(*rule, entry, findings);
            checkSecrecy(*rule, entry, findings);
        }
        else
            findings.push_back(unknownKey(catalog, entry));
    }
    checkRepetition(layers.entries, findings);
    for (const auto& variable : layers.unknownVariables)
        findings.push_back({Finding::Severity::Warning,
                            {"environment", 0},
                            variable,
                            "PORTICO_ and the name of a setting",
                            "a variable that names none",
                            "It has no effect.",
                            {}});
    return findings;
}

} // namespace portico::host::config
