#pragma once

#include "support/Suite.h"

#include "portico/Database.h"

#include <stdexcept>

namespace portico::tests
{

/// The error that `run` throws; the test fails without one.
template <class F>
DatabaseError failureOf(F&& run)
{
    try
    {
        run();
    }
    catch (const DatabaseError& error)
    {
        return error;
    }
    CPPUNIT_FAIL("expected a DatabaseError");
    throw std::logic_error("not reached");
}

} // namespace portico::tests
