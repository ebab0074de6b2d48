// Boost.JSON itself, compiled into the library: hidden, so that it meets no other copy in the shell.
#include <boost/json/src.hpp>
