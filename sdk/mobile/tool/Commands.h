#pragma once

#include <string>
#include <vector>

namespace portico::mobiletool
{

/// The command line in its parts.
struct Arguments
{
    std::string command;
    std::vector<std::string> words;
    std::string folder, issuer, launchpad, clientId = "launchpad-mobile", app = "shell", open, platform, returnTo;
    int port = 9876, times = 1, seconds = 600;
    bool offline = false, installed = false, verbose = false;
};

/// Runs a command and returns the exit code: 0 done, 1 failed, 2 wrong usage. @throws std::runtime_error
int run(const Arguments& arguments);

} // namespace portico::mobiletool
