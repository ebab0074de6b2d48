#include "support/ChildProgram.h"

#include <cppunit/BriefTestProgressListener.h>
#include <cppunit/CompilerOutputter.h>
#include <cppunit/Test.h>
#include <cppunit/TestResult.h>
#include <cppunit/TestResultCollector.h>
#include <cppunit/extensions/TestFactoryRegistry.h>

#include <iostream>
#include <memory>
#include <string>

namespace
{

/// Runs the tests at the end of the tree whose names contain the part.
void runMatching(CppUnit::Test& test, const std::string& part, CppUnit::TestResult& result)
{
    if (test.getChildTestCount() == 0 && test.getName().find(part) != std::string::npos) test.run(&result);
    for (int i = 0; i < test.getChildTestCount(); ++i) runMatching(*test.getChildTestAt(i), part, result);
}

} // namespace

/// Runs every registered test, or those whose names contain one of the arguments: `suite TagTest 'JobsTest<portico::tests::OnSqlite>'`.
/// The last line has the form that CI counts.
int main(int argc, char** argv)
{
    if (portico::tests::ranChildProgram(argc, argv)) return 0;
    CppUnit::TestResult result;
    CppUnit::TestResultCollector collector;
    CppUnit::BriefTestProgressListener progress;
    result.addListener(&collector);
    result.addListener(&progress);

    const std::unique_ptr<CppUnit::Test> all(CppUnit::TestFactoryRegistry::getRegistry().makeTest());
    if (argc < 2) all->run(&result);
    for (int i = 1; i < argc; ++i) runMatching(*all, argv[i], result);

    CppUnit::CompilerOutputter(&collector, std::cerr).write();
    std::cout << collector.runTests() - collector.testFailuresTotal() << " passed, " << collector.testFailuresTotal() << " failed"
              << std::endl;
    return collector.runTests() > 0 && collector.wasSuccessful() ? 0 : 1;
}
