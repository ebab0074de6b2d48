#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace portico::tests
{

/// Runs part of a suite in a separate process, for tests that kill it. Make one at namespace scope. The suite's program is executed again
/// for it: a fork of a program with threads may inherit a lock that is never released.
class ChildProgram
{
public:
    /// Runs with the arguments of `start`; what it writes to `output` is what the test reads.
    using Run = void (*)(const std::vector<std::string>& arguments, int output);

    ChildProgram(std::string name, Run run);

    struct Child
    {
        pid_t process = -1;
        /// The end to read from; the caller closes it and waits for the process.
        int output = -1;
    };
    /// Temporary directories that it makes are made in `directory`. It is killed when the thread that started it ends.
    Child start(const std::vector<std::string>& arguments, const std::string& directory) const;

private:
    std::string _name;
};

/// Returns true if the suite was started for a child program, which has then run.
bool ranChildProgram(int argc, char** argv);

} // namespace portico::tests
