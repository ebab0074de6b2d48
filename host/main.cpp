#include "host/daemon/DaemonApplication.h"

#include <Poco/Exception.h>

#include <iostream>

int main(int argc, char** argv)
{
    using portico::host::daemon::DaemonApplication;
    DaemonApplication application;
    try
    {
        application.init(argc, argv);
    }
    catch (const Poco::Exception& fault)
    {
        std::cerr << "porticod: " << fault.displayText() << "; --help explains.\n";
        return DaemonApplication::EXIT_USAGE;
    }
    return static_cast<Poco::Util::Application&>(application).run();
}
