#include <cppunit/BriefTestProgressListener.h>
#include <cppunit/CompilerOutputter.h>
#include <cppunit/TestResult.h>
#include <cppunit/TestResultCollector.h>
#include <cppunit/TestRunner.h>
#include <cppunit/extensions/TestFactoryRegistry.h>

#include <iostream>
#include <string>

/// Runs every registered test, or those whose path is named: `suite Class::test`. The last line has the form that CI counts.
int main(int argc, char** argv)
{
    CppUnit::TestResult result;
    CppUnit::TestResultCollector collector;
    CppUnit::BriefTestProgressListener progress;
    result.addListener(&collector);
    result.addListener(&progress);

    CppUnit::TestRunner runner;
    runner.addTest(CppUnit::TestFactoryRegistry::getRegistry().makeTest());
    if (argc < 2) runner.run(result);
    for (int i = 1; i < argc; ++i) runner.run(result, argv[i]);

    CppUnit::CompilerOutputter(&collector, std::cerr).write();
    std::cout << collector.runTests() - collector.testFailuresTotal() << " passed, " << collector.testFailuresTotal() << " failed"
              << std::endl;
    return collector.runTests() > 0 && collector.wasSuccessful() ? 0 : 1;
}
