# Compile options of Portico's own code, and the two shapes of target that this tree is made of.
add_library(portico_options INTERFACE)
target_compile_options(portico_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
  $<$<BOOL:${PORTICO_WERROR}>:-Werror>)
if(PORTICO_SANITIZE)
  add_compile_options(-fsanitize=${PORTICO_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${PORTICO_SANITIZE})
  add_compile_definitions(PORTICO_SANITIZE="${PORTICO_SANITIZE}")
  # g++ 12 reports these falsely once the sanitizers have instrumented the code.
  target_compile_options(portico_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized -Wno-restrict -Wno-stringop-overflow>)
endif()
if(PORTICO_FUZZ)
  # All that a fuzzer runs through counts as covered or not.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
target_include_directories(portico_options INTERFACE ${CMAKE_SOURCE_DIR}/sdk/include)

# A part of the host: every .cpp of the calling directory, and of the folders in it that are named, in one static library.
function(portico_part name)
  cmake_parse_arguments(PARSE_ARGV 1 part "" "" "ROOMS")
  set(folders ${CMAKE_CURRENT_SOURCE_DIR})
  foreach(room ${part_ROOMS})
    list(APPEND folders ${CMAKE_CURRENT_SOURCE_DIR}/${room})
  endforeach()
  list(TRANSFORM folders APPEND /*.cpp)
  file(GLOB sources CONFIGURE_DEPENDS ${folders})
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PRIVATE portico_options PUBLIC portico ${part_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR})
endfunction()

# A CppUnit suite: every .cpp of the calling directory, run by ctest as one test.
function(portico_suite name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_executable(${name} ${sources} ${CMAKE_SOURCE_DIR}/tests/support/main.cpp ${CMAKE_SOURCE_DIR}/tests/support/ChildProgram.cpp)
  target_link_libraries(${name} PRIVATE portico_options portico_cppunit ${ARGN})
  # Several suites in one unit: registrations are told apart by a counter instead of the line, and types of anonymous namespaces are as local as before.
  target_compile_definitions(${name} PRIVATE CPPUNIT_UNIQUE_COUNTER=__COUNTER__)
  target_compile_options(${name} PRIVATE $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${CMAKE_UNITY_BUILD}>>:-Wno-subobject-linkage>)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/tests)
  # Loaded by name when a test opens a database there.
  add_dependencies(${name} portico_postgresql_engine portico_redis_engine)
  add_test(NAME ${name} COMMAND ${name})
endfunction()
