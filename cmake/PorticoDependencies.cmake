# Everything that Portico stands on, found once. components.md of the design says what was tried and why these.
find_package(Threads REQUIRED)
find_package(PostgreSQL REQUIRED)
# Debian's Poco names a target that its own files never define.
if(NOT TARGET PostgreSQL::client)
  add_library(PostgreSQL::client INTERFACE IMPORTED)
  set_target_properties(PostgreSQL::client PROPERTIES INTERFACE_LINK_LIBRARIES PostgreSQL::PostgreSQL)
endif()
find_package(Poco 1.11 REQUIRED COMPONENTS Foundation Util Net NetSSL Data DataSQLite DataPostgreSQL Redis Crypto JSON JWT)
find_package(Boost 1.81 REQUIRED COMPONENTS json)
find_package(OpenSSL REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(ZLIB REQUIRED)

# Libraries without a CMake package of their own: name, header, library.
function(portico_find_library target header library)
  find_path(${target}_INCLUDE ${header} REQUIRED)
  find_library(${target}_LIBRARY ${library} REQUIRED)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} INTERFACE ${${target}_INCLUDE})
  target_link_libraries(${target} INTERFACE ${${target}_LIBRARY})
endfunction()
portico_find_library(portico_sodium sodium.h sodium)
portico_find_library(portico_qrencode qrencode.h qrencode)
portico_find_library(portico_fido2 fido.h fido2)
portico_find_library(portico_brotli brotli/encode.h brotlienc)
# Static: libportico.so folds texts by it, and nobody else needs it beside.
portico_find_library(portico_utf8proc utf8proc.h libutf8proc.a)
# Shared: no static one exists. libportico.so reads time zones by it.
portico_find_library(portico_cctz cctz/time_zone.h cctz)
# Shared: the filter of helpers.
portico_find_library(portico_seccomp seccomp.h seccomp)
portico_find_library(portico_prometheus prometheus/registry.h prometheus-cpp-core)
if(PORTICO_TESTS)
  portico_find_library(portico_cppunit cppunit/TestCase.h cppunit)
endif()
