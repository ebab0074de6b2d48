#include "host/ctl/Command.h"

#include <iostream>

int main(int argc, char** argv)
{
    using namespace portico::host::ctl;
    return run({argv + 1, argv + argc}, std::cin, Terminal::standardOutput(), std::cerr);
}
