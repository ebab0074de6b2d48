#include "support/ChildProgram.h"

#include <cppunit/BriefTestProgressListener.h>
#include <cppunit/CompilerOutputter.h>
#include <cppunit/Test.h>
#include <cppunit/TestResult.h>
#include <cppunit/TestResultCollector.h>
#include <cppunit/extensions/TestFactoryRegistry.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <span>
#include <string_view>
#include <sys/resource.h>

namespace
{

/// Prints the name of every test.
void list(const CppUnit::Test& test)
{
    if (test.getChildTestCount() == 0) std::cout << test.getName() << '\n';
    for (int i = 0; i < test.getChildTestCount(); ++i) list(*test.getChildTestAt(i));
}

/// Runs the tests at the end of the tree whose names contain one of the parts, each once.
void runMatching(CppUnit::Test& test, std::span<char* const> parts, CppUnit::TestResult& result)
{
    const auto isNamed = [&](const char* part) { return test.getName().find(part) != std::string::npos; };
    if (test.getChildTestCount() == 0 && std::ranges::any_of(parts, isNamed)) test.run(&result);
    for (int i = 0; i < test.getChildTestCount(); ++i) runMatching(*test.getChildTestAt(i), parts, result);
}

/// Seconds of the processor that this process has used, or its children that have ended.
double processorSeconds(int whose)
{
    rusage used{};
    getrusage(whose, &used);
    const auto seconds = [](const timeval& time) { return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6; };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

} // namespace

/// Runs every registered test, or those whose names contain one of the arguments: `suite TagTest 'JobsTest<portico::tests::OnSqlite>'`.
/// `--list` prints the names and runs nothing. The last line has the form that CI counts.
int main(int argc, char** argv)
{
    if (portico::tests::ranChildProgram(argc, argv)) return 0;
    const std::unique_ptr<CppUnit::Test> all(CppUnit::TestFactoryRegistry::getRegistry().makeTest());
    if (argc == 2 && std::string_view(argv[1]) == "--list")
    {
        list(*all);
        return 0;
    }
    CppUnit::TestResult result;
    CppUnit::TestResultCollector collector;
    CppUnit::BriefTestProgressListener progress;
    result.addListener(&collector);
    result.addListener(&progress);

    if (argc < 2)
        all->run(&result);
    else
        runMatching(*all, std::span(argv + 1, argv + argc), result);

    CppUnit::CompilerOutputter(&collector, std::cerr).write();
    std::cout << "processor time: " << std::llround(processorSeconds(RUSAGE_SELF) + processorSeconds(RUSAGE_CHILDREN)) << " s\n"
              << collector.runTests() - collector.testFailuresTotal() << " passed, " << collector.testFailuresTotal() << " failed"
              << std::endl;
    return collector.runTests() > 0 && collector.wasSuccessful() ? 0 : 1;
}
