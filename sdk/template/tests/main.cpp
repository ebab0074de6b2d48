#include <cppunit/TestResultCollector.h>
#include <cppunit/TextTestRunner.h>
#include <cppunit/extensions/TestFactoryRegistry.h>

#include <exception>
#include <iostream>

int main()
try
{
    CppUnit::TextTestRunner runner;
    runner.addTest(CppUnit::TestFactoryRegistry::getRegistry().makeTest());
    const bool passed = runner.run("", false, true, false);
    const auto& result = runner.result();
    std::cout << result.runTests() - result.testFailuresTotal() << " passed, " << result.testFailuresTotal() << " failed" << std::endl;
    return passed ? 0 : 1;
}
// A plugin that does not start: its reasons, without a core.
catch (const std::exception& error)
{
    std::cerr << error.what() << std::endl;
    return 1;
}
