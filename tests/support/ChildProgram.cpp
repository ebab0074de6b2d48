#include "support/ChildProgram.h"

#include <map>
#include <stdexcept>
#include <string_view>

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace portico::tests
{

namespace
{

constexpr std::string_view flag = "--child";

std::map<std::string, ChildProgram::Run>& programs()
{
    static std::map<std::string, ChildProgram::Run> all;
    return all;
}

std::vector<char*> pointersTo(std::vector<std::string>& words)
{
    std::vector<char*> pointers;
    for (auto& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
}

std::vector<std::string> environmentWith(const std::string& directory)
{
    std::vector<std::string> variables{"TMPDIR=" + directory};
    for (char** variable = environ; *variable; ++variable)
        if (!std::string_view(*variable).starts_with("TMPDIR=")) variables.emplace_back(*variable);
    return variables;
}

} // namespace

ChildProgram::ChildProgram(std::string name, Run run) : _name(std::move(name)) { programs().emplace(_name, run); }

ChildProgram::Child ChildProgram::start(const std::vector<std::string>& arguments, const std::string& directory) const
{
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe for a child");
    std::vector<std::string> words{"child", std::string(flag), _name, std::to_string(ends[1])};
    words.insert(words.end(), arguments.begin(), arguments.end());
    auto variables = environmentWith(directory);
    const auto argv = pointersTo(words), environment = pointersTo(variables);

    const pid_t process = ::fork();
    if (process == 0)
    {
        // Only what is allowed after a fork of a program with threads.
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::fcntl(ends[1], F_SETFD, 0);
        ::execve("/proc/self/exe", argv.data(), environment.data());
        ::_exit(127);
    }
    ::close(ends[1]);
    if (process < 0) throw std::runtime_error("no process for a child");
    return {process, ends[0]};
}

bool ranChildProgram(int argc, char** argv)
{
    if (argc < 4 || argv[1] != flag) return false;
    programs().at(argv[2])({argv + 4, argv + argc}, std::atoi(argv[3]));
    return true;
}

} // namespace portico::tests
