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

# A part of the host: every .cpp of the calling directory, or of the FOLDER in it, in one static library named after the room. It sees the
# headers of the parts that it links and no others, which keeps the walls between the rooms: PUBLIC are those that its headers include,
# PRIVATE those that its sources alone need.
function(portico_part name)
  cmake_parse_arguments(PARSE_ARGV 1 part "" "FOLDER" "PUBLIC;PRIVATE")
  set(folder ${CMAKE_CURRENT_SOURCE_DIR})
  if(part_FOLDER)
    set(folder ${folder}/${part_FOLDER})
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC ${part_PUBLIC} PRIVATE portico_options ${part_PRIVATE})
  portico_show_headers(${name} ${folder})
endfunction()

# All includes begin with "host/": each part has a folder of its own in the build tree, in which only its headers have their place.
function(portico_show_headers name folder)
  file(GLOB headers CONFIGURE_DEPENDS ${folder}/*.h)
  file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR} ${folder})
  set(view ${CMAKE_BINARY_DIR}/rooms/${name})
  file(REMOVE_RECURSE ${view})
  file(MAKE_DIRECTORY ${view}/${path})
  foreach(header ${headers})
    get_filename_component(file ${header} NAME)
    file(CREATE_LINK ${header} ${view}/${path}/${file} SYMBOLIC)
  endforeach()
  target_include_directories(${name} PUBLIC ${view})
endfunction()

# A CppUnit suite: every .cpp of the calling directory, run by ctest as one test.
function(portico_suite name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_executable(${name} ${sources} ${CMAKE_SOURCE_DIR}/tests/support/main.cpp ${CMAKE_SOURCE_DIR}/tests/support/ChildProgram.cpp)
  target_link_libraries(${name} PRIVATE portico_options portico_cppunit ${ARGN})
  # Several suites in one unit: registrations are told apart by a counter instead of the line, and types of anonymous namespaces are as local as before.
  target_compile_definitions(${name} PRIVATE CPPUNIT_UNIQUE_COUNTER=__COUNTER__)
  target_compile_options(${name} PRIVATE $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${CMAKE_UNITY_BUILD}>>:-Wno-subobject-linkage>)
  # Suite.h needs CppUnit only: suites without the SDK include it too.
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests ${CMAKE_SOURCE_DIR}/sdk/testing/include)
  # Loaded by name when a test opens a database there.
  add_dependencies(${name} portico_postgresql_engine portico_redis_engine)
  add_test(NAME ${name} COMMAND ${name})
endfunction()

# Runs a program of tests that `add_test` knows once more, on PostgreSQL: the engine belongs to the run. Other arguments are those of `add_test`.
function(portico_test_on_postgresql program)
  add_test(NAME ${program}_postgresql ${ARGN}
    COMMAND /usr/bin/python3 -B ${CMAKE_SOURCE_DIR}/tests/support/with_postgres.py PORTICO_TEST_DATABASE $<TARGET_FILE:${program}>)
endfunction()
