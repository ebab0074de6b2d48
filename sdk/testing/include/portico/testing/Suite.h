#pragma once

#include <cppunit/TestCase.h>
#include <cppunit/TestSuite.h>
#include <cppunit/extensions/HelperMacros.h>

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <vector>

/// Suites of CppUnit whose tests register themselves. Needs CppUnit, which `Portico::testing` does not link.
namespace portico::testing
{

/// Lists the tests of one suite in the order of their declaration, and registers the suite with CppUnit.
class SuiteTests final : public CppUnit::TestFactory
{
public:
    using Make = std::unique_ptr<CppUnit::TestFixture> (*)();
    using Body = void (*)(CppUnit::TestFixture& fixture);

    SuiteTests(const std::type_info& fixture, Make make) : _names(fixture), _make(make)
    {
        CppUnit::TestFactoryRegistry::getRegistry().registerFactory(this);
    }
    bool add(const char* name, Body body)
    {
        _tests.push_back({name, body});
        return true;
    }
    CppUnit::Test* makeTest() override
    {
        auto suite = std::make_unique<CppUnit::TestSuite>(_names.getFixtureName());
        for (const auto& [name, body] : _tests) suite->addTest(new Case(_names.getTestNameFor(name), _make, body));
        return suite.release();
    }

private:
    struct Entry
    {
        const char* name;
        Body body;
    };

    /// Makes the fixture when the test begins, and destroys it when the test ends.
    class Case final : public CppUnit::TestCase
    {
    public:
        Case(const std::string& name, Make make, Body body) : TestCase(name), _make(make), _body(body) {}
        void setUp() override
        {
            _fixture = _make();
            _fixture->setUp();
        }
        void runTest() override { _body(*_fixture); }
        void tearDown() override
        {
            // A test ends with its fixture, also where tearDown throws.
            if (const auto fixture = std::move(_fixture)) fixture->tearDown();
        }

    private:
        Make _make;
        Body _body;
        std::unique_ptr<CppUnit::TestFixture> _fixture;
    };

    CppUnit::TestNamer _names;
    Make _make;
    std::vector<Entry> _tests;
};

/// A suite is a class that derives from `Suite` and names itself. Its fixture has `setUp`, `tearDown` and helpers; each test has its own
/// object.
///
///     class NoteTest : public Suite<NoteTest, Fixture>
///     {
///         TEST(unknownNoteIsNotFound) { refused(call(Method::Get, "/api/notes/note_x"), 404, "not_found"); }
///     };
///
/// A class template declares `using Self`, and an explicit instantiation registers it: `template class NoteTest<OnSqlite>;`.
template <class Itself, class Fixture = CppUnit::TestFixture>
class Suite : public Fixture
{
public:
    using Self = Itself;

    static SuiteTests& suiteTests()
    {
        static SuiteTests tests(typeid(Itself), []() -> std::unique_ptr<CppUnit::TestFixture> { return std::make_unique<Itself>(); });
        return tests;
    }
};

[[noreturn]] inline void differ(const std::string& expected, const std::string& actual, std::string_view message, const char* file,
                                int line)
{
    CppUnit::Asserter::failNotEqual(expected, actual, {file, line}, std::string(message));
}

[[noreturn]] inline void failCheck(const char* expression, const char* file, int line)
{
    CppUnit::Asserter::fail(CppUnit::Message("assertion failed", std::string("Expression: ") + expression), {file, line});
}

/// Fails the test at the caller's line, with both values, unless they are equal: `equal(200, answer.status)`, `equal("Ada", name,
/// message)`. The expected value is converted to the type of the actual one. An object, because `std::equal` would match too.
struct Equal
{
    template <class T>
    requires(!std::is_convertible_v<const T&, std::string_view>) void operator()(const std::type_identity_t<T>& expected, const T& actual,
                                                                                 std::string_view message = {},
                                                                                 const char* file = __builtin_FILE(),
                                                                                 int line = __builtin_LINE()) const
    {
        using Traits = CppUnit::assertion_traits<T>;
        if (!Traits::equal(expected, actual)) differ(Traits::toString(expected), Traits::toString(actual), message, file, line);
    }
    void operator()(std::string_view expected, std::string_view actual, std::string_view message = {}, const char* file = __builtin_FILE(),
                    int line = __builtin_LINE()) const
    {
        if (expected != actual) differ(std::string(expected), std::string(actual), message, file, line);
    }
};
inline constexpr Equal equal{};

/// Fails the test at the caller's line unless the answer is a problem with this status and code.
template <class Answer>
void refused(const Answer& answer, int status, std::string_view code, std::string_view message = {}, const char* file = __builtin_FILE(),
             int line = __builtin_LINE())
{
    const auto text = [&]
    {
        auto words = std::string(message) + (message.empty() ? "" : "\n");
        if constexpr (std::is_convertible_v<decltype(answer.body), std::string_view>)
            return words + std::string(answer.body);
        else
            return words + serialize(answer.body);
    };
    if (answer.status != status) differ(std::to_string(status), std::to_string(answer.status), text(), file, line);
    if (const auto actual = answer.code(); actual != code) differ(std::string(code), actual, text(), file, line);
}

} // namespace portico::testing

/// Begins a test of the suite. Its body follows: `TEST(name) { … }`.
#define TEST(name)                                                                                                                         \
    static void run_##name(CppUnit::TestFixture& fixture) { static_cast<Self&>(fixture).name(); }                                          \
    static inline const bool registered_##name = Self::suiteTests().add(#name, &Self::run_##name);                                         \
    void name()

/// Fails the test, with the expression, unless it is true.
#define CHECK(...) ((__VA_ARGS__) ? void() : portico::testing::failCheck(#__VA_ARGS__, __FILE__, __LINE__))
