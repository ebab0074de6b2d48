# portico_add_plugin(<service> SOURCES <file>... MANIFEST <file> [MIGRATIONS <directory>] [WEB <directory>] [TEXTS <directory>]
#                    [LIBRARIES <target>...] [HELPERS <name>...] [WEB_DEPENDS <target or file>...] [OUTPUT <directory>] [UNGATED])
#
# Builds the plugin of a service, lays it out as the host expects it, and checks the result as the host will:
#   <build>/lib/portico/plugins/<service>/{<service>.so,manifest.json,migrations/,web/,texts/,helpers/}
# and the same below the libraries of the install prefix (component `plugin-<service>`).
#
# Outside of Portico's tree <build>/porticod.properties is the configuration of a daemon for trying the build: `porticod --config` takes it.
#
# WEB is the folder of templates, messages and pages; one with a package.json is an app on the web kit, and is built with portico_web_app(). Where
# the build makes it otherwise, WEB_DEPENDS is what does: the target, and a file that is
# newer whenever something in the folder is. A plugin without it is laid out without pages, and loads (docs/plugin-guide.md, section 8).
# TEXTS is the folder of mail templates and their messages (portico/Templates.h): laid out beside `web`, whatever builds that.
#
# The target is named `portico_plugin_<service>`. It sees the SDK and nothing else; LIBRARIES are linked into it, statically unless
# allowed-libraries.txt names them. Its code is compiled once, as the object library `portico_plugin_<service>_code`, which is what options and
# definitions of one's own belong to. Works inside Portico's tree and, after find_package(Portico), outside of it.
# HELPERS are programs that portico_add_helper() has declared: laid out as `helpers/<name>`, which `plugin.helpers` of the manifest names.
# OUTPUT lays it out elsewhere and installs nothing; UNGATED leaves the check to the host. Both are for tests.
#
# portico_add_helper(<name> SOURCES <file>... [LIBRARIES <library>...])
#
# Builds a program that the host runs for single pieces of work (portico/Helper.h): linked statically, since it can open no library. It is
# plain C++ without the SDK. The target is named `portico_helper_<name>`.
#
# portico_add_plugin_tests(<service> SOURCES <file>... LIBRARIES <target>...)
#
# The program `<service>-tests`: the plugin's code, as it was compiled for the plugin, with tests that call it without a server
# (portico/testing/TestHost.h), on a testing framework among LIBRARIES. ctest runs it in the source folder, and `porticoctl verify` on the
# plugin. The tests run on SQLite; with PORTICO_TEST_DATABASE=postgresql://… in the environment the same program runs them on PostgreSQL.

set(PORTICO_CMAKE_DIR ${CMAKE_CURRENT_LIST_DIR})

# How a plugin's code is compiled. For static libraries that are linked into one, so that they are built like it.
function(portico_plugin_compile_options target)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
  if(Portico_FOUND)
    # Handlers wait for their database: -O3 makes them larger, not quicker, and costs the compiler more.
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O2>)
  endif()
endfunction()

# What makes a shared object one that can be loaded twice and unloaded: docs/plugin-guide.md says more.
function(portico_plugin_options target)
  set_target_properties(${target} PROPERTIES PREFIX "" SUFFIX ".so" NO_SONAME ON
    # Neither a build nor an installed plugin carries a search path: the host has loaded what it may need.
    SKIP_BUILD_RPATH ON INSTALL_RPATH ""
    LINK_DEPENDS ${PORTICO_CMAKE_DIR}/plugin.map)
  target_link_options(${target} PRIVATE -Wl,-z,now,-z,relro -Wl,--no-undefined -Wl,--exclude-libs,ALL
    -Wl,--version-script=${PORTICO_CMAKE_DIR}/plugin.map)
  if(Portico_FOUND)
    # Stripped while it is linked, not while it is packaged: a signature holds for these bytes.
    target_link_options(${target} PRIVATE $<$<CONFIG:Release,MinSizeRel>:-s>)
  endif()
endfunction()

# A sanitizer's runtime comes with the program, so that --no-undefined cannot hold; and it must be the same one as the host's.
function(portico_plugin_sanitizers target code)
  if(NOT PORTICO_SANITIZE)
    return()
  endif()
  target_link_options(${target} PRIVATE -Wl,-z,undefs)
  if(Portico_FOUND)
    target_compile_options(${code} PRIVATE -fsanitize=${PORTICO_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_compile_definitions(${code} PRIVATE PORTICO_SANITIZE="${PORTICO_SANITIZE}")
    target_link_options(${target} PRIVATE -fsanitize=${PORTICO_SANITIZE})
  endif()
endfunction()

# Outside of Portico's tree the SDK's headers are read once for all of a target: in a debug build, where one file is changed at a time, as a
# precompiled header; else in one batch of files, which takes a third of the time when all is built. Where names of two files collide in a
# batch, CMAKE_UNITY_BUILD=OFF compiles them apart.
function(portico_compile_quickly target)
  if(NOT Portico_FOUND)
    return()
  endif()
  if(CMAKE_BUILD_TYPE STREQUAL "Debug")
    target_precompile_headers(${target} PRIVATE ${ARGN})
  elseif(NOT DEFINED CMAKE_UNITY_BUILD)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
    # Types of anonymous namespaces are as local in a batch as in their file.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# The plugin's code, once for the plugin and for its tests.
function(portico_plugin_code code)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  add_library(${code} OBJECT ${arg_SOURCES})
  portico_plugin_compile_options(${code})
  target_link_libraries(${code} PUBLIC Portico::portico ${arg_LIBRARIES})
  portico_compile_quickly(${code} <portico/Plugin.h> <portico/Table.h>)
  if(NOT Portico_FOUND)
    target_link_libraries(${code} PRIVATE portico_options)
  endif()
endfunction()

# Copies the manifest and the folders beside the library, again whenever one of their files, or of what follows DEPENDS, changes.
function(portico_plugin_layout target output manifest)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "" "FOLDERS;DEPENDS")
  set(commands COMMAND ${CMAKE_COMMAND} -E copy_if_different ${manifest} ${output}/manifest.json)
  if(Portico_FOUND)
    list(APPEND commands COMMAND ${CMAKE_COMMAND} -E rm -f ${output}/SHA256SUMS ${output}/SHA256SUMS.sig)
  endif()
  set(inputs ${manifest} ${arg_DEPENDS})
  # Removed first, so that what is gone from the source does not linger.
  list(APPEND commands COMMAND ${CMAKE_COMMAND} -E rm -rf ${output}/migrations ${output}/web ${output}/texts)
  foreach(folder IN LISTS arg_FOLDERS)
    string(REGEX REPLACE "=.*" "" name ${folder})
    string(REGEX REPLACE "^[^=]*=" "" source ${folder})
    # DEPENDS says when pages that the build makes have changed. Their own names contain hashes and change with them.
    if(NOT (arg_DEPENDS AND name STREQUAL "web"))
      file(GLOB_RECURSE files CONFIGURE_DEPENDS ${source}/*)
      list(APPEND inputs ${files})
    endif()
    list(APPEND commands COMMAND ${CMAKE_COMMAND} -E copy_directory ${source} ${output}/${name})
  endforeach()
  set(stamp ${CMAKE_CURRENT_BINARY_DIR}/${target}.layout)
  add_custom_command(OUTPUT ${stamp} ${commands} COMMAND ${CMAKE_COMMAND} -E touch ${stamp} DEPENDS ${inputs} VERBATIM)
  add_custom_target(${target}_layout ALL DEPENDS ${stamp})
  add_dependencies(${target} ${target}_layout)
endfunction()

# The configuration of a daemon for trying the plugins of a build.
function(portico_plugin_trial service)
  set_property(GLOBAL APPEND PROPERTY PORTICO_PLUGINS ${service})
  get_property(services GLOBAL PROPERTY PORTICO_PLUGINS)
  list(JOIN services "," services)
  file(WRITE ${CMAKE_BINARY_DIR}/porticod.properties "# Written by CMake: a daemon for trying this build.\n"
    "plugins.directories = ${PORTICO_HOST_PLUGINS},${CMAKE_BINARY_DIR}/lib/portico/plugins\nplugins.allowUnsigned = ${services}\n"
    "# For porticoctl dev reset.\nplugins.resettable = ${services}\n")
endfunction()

function(portico_add_helper name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "portico_add_helper(${name}): expected SOURCES and LIBRARIES, found '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  set(target portico_helper_${name})
  add_executable(${target} ${arg_SOURCES})
  # In a folder of its own: as in a package, the program's name is that of the helper.
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/helpers
    CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON UNITY_BUILD OFF)
  target_compile_features(${target} PRIVATE cxx_std_20)
  # A sanitizer's runtime opens files and takes more address space than a helper has.
  # Quick in every build: it works against limits of time.
  target_compile_options(${target} PRIVATE -fPIE -fno-sanitize=all -O2)
  target_link_options(${target} PRIVATE -static-pie -fno-sanitize=all -Wl,-z,now,-z,relro $<$<CONFIG:Release,MinSizeRel>:-s>)
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES})
  if(NOT Portico_FOUND)
    target_link_libraries(${target} PRIVATE portico_options)
  endif()
endfunction()

# Puts a plugin's helpers beside its library, and installs them.
function(portico_plugin_helpers target output)
  foreach(name IN LISTS ARGN)
    if(NOT TARGET portico_helper_${name})
      message(FATAL_ERROR "portico_add_plugin: there is no helper '${name}'; call portico_add_helper(${name} …) before")
    endif()
    set(stamp ${CMAKE_CURRENT_BINARY_DIR}/${target}.helper-${name})
    add_custom_command(OUTPUT ${stamp} DEPENDS portico_helper_${name} VERBATIM
      COMMAND ${CMAKE_COMMAND} -E make_directory ${output}/helpers
      COMMAND ${CMAKE_COMMAND} -E copy_if_different $<TARGET_FILE:portico_helper_${name}> ${output}/helpers/${name}
      COMMAND ${CMAKE_COMMAND} -E touch ${stamp})
    add_custom_target(${target}_helper_${name} ALL DEPENDS ${stamp})
    add_dependencies(${target}_layout ${target}_helper_${name})
  endforeach()
endfunction()

function(portico_add_plugin service)
  cmake_parse_arguments(PARSE_ARGV 1 arg "UNGATED" "MANIFEST;MIGRATIONS;WEB;TEXTS;OUTPUT" "SOURCES;LIBRARIES;HELPERS;WEB_DEPENDS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "portico_add_plugin(${service}): unknown argument '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT arg_SOURCES OR NOT arg_MANIFEST)
    message(FATAL_ERROR "portico_add_plugin(${service}): SOURCES and MANIFEST are needed")
  endif()
  get_filename_component(manifest ${arg_MANIFEST} ABSOLUTE)
  set(output ${CMAKE_BINARY_DIR}/lib/portico/plugins/${service})
  if(arg_OUTPUT)
    set(output ${arg_OUTPUT})
  endif()

  set(target portico_plugin_${service})
  portico_plugin_code(${target}_code SOURCES ${arg_SOURCES} LIBRARIES ${arg_LIBRARIES})
  add_library(${target} MODULE)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${service} LIBRARY_OUTPUT_DIRECTORY ${output} PORTICO_MANIFEST ${manifest})
  portico_plugin_options(${target})
  portico_plugin_sanitizers(${target} ${target}_code)
  target_link_libraries(${target} PRIVATE ${target}_code)
  if(NOT arg_UNGATED)
    add_custom_command(TARGET ${target} POST_BUILD VERBATIM
      COMMAND ${CMAKE_COMMAND} -DPLUGIN=$<TARGET_FILE:${target}> -DREADELF=${CMAKE_READELF} -P ${PORTICO_CMAKE_DIR}/PorticoCheckPlugin.cmake)
  endif()

  if(arg_WEB AND EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${arg_WEB}/package.json)
    set_target_properties(${target} PROPERTIES PORTICO_WEB_SOURCE ${CMAKE_CURRENT_SOURCE_DIR}/${arg_WEB})
    portico_web_app(${service} SOURCE ${arg_WEB})
    set(arg_WEB ${${service}_WEB})
    set(arg_WEB_DEPENDS ${${service}_WEB_DEPENDS})
  endif()
  set(folders)
  foreach(kind MIGRATIONS WEB TEXTS)
    if(arg_${kind})
      get_filename_component(source ${arg_${kind}} ABSOLUTE)
      string(TOLOWER ${kind} name)
      list(APPEND folders ${name}=${source})
    endif()
  endforeach()
  portico_plugin_layout(${target} ${output} ${manifest} FOLDERS ${folders} DEPENDS ${arg_WEB_DEPENDS})
  portico_plugin_helpers(${target} ${output} ${arg_HELPERS})
  if(arg_OUTPUT)
    return()
  endif()

  include(GNUInstallDirs)
  set(destination ${CMAKE_INSTALL_LIBDIR}/portico/plugins/${service})
  if(Portico_FOUND)
    set(destination ${PORTICO_PLUGIN_DIR}/${service})
    # As `porticoctl plugin sign` has left them. What is built anew is unsigned until it is signed anew.
    install(FILES ${output}/SHA256SUMS ${output}/SHA256SUMS.sig DESTINATION ${destination} COMPONENT plugin-${service} OPTIONAL)
    add_custom_command(TARGET ${target} POST_BUILD COMMAND ${CMAKE_COMMAND} -E rm -f ${output}/SHA256SUMS ${output}/SHA256SUMS.sig VERBATIM)
    portico_plugin_trial(${service})
  endif()
  install(TARGETS ${target} LIBRARY DESTINATION ${destination} COMPONENT plugin-${service})
  install(FILES ${manifest} DESTINATION ${destination} RENAME manifest.json COMPONENT plugin-${service})
  foreach(helper IN LISTS arg_HELPERS)
    install(PROGRAMS $<TARGET_FILE:portico_helper_${helper}> DESTINATION ${destination}/helpers COMPONENT plugin-${service})
  endforeach()
  foreach(folder IN LISTS folders)
    string(REGEX REPLACE "=.*" "" name ${folder})
    string(REGEX REPLACE "^[^=]*=" "" source ${folder})
    install(DIRECTORY ${source}/ DESTINATION ${destination}/${name} COMPONENT plugin-${service})
  endforeach()
endfunction()

function(portico_add_plugin_tests service)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "portico_add_plugin_tests(${service}): expected SOURCES and LIBRARIES, found '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT TARGET portico_plugin_${service}_code)
    message(FATAL_ERROR "portico_add_plugin_tests(${service}): there is no such plugin; call portico_add_plugin(${service} …) before")
  endif()
  set(tests ${service}-tests)
  add_executable(${tests} ${arg_SOURCES})
  target_link_libraries(${tests} PRIVATE portico_plugin_${service}_code Portico::testing ${arg_LIBRARIES})
  target_include_directories(${tests} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
  # Compiled quickly rather than run quickly.
  target_compile_options(${tests} PRIVATE $<$<CONFIG:Release>:-O0>)
  portico_compile_quickly(${tests} <portico/testing/TestHost.h>)
  # Several suites of CppUnit in one batch are told apart by a counter instead of the line.
  target_compile_definitions(${tests} PRIVATE CPPUNIT_UNIQUE_COUNTER=__COUNTER__)
  if(PORTICO_SANITIZE)
    target_compile_options(${tests} PRIVATE -fsanitize=${PORTICO_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(${tests} PRIVATE -fsanitize=${PORTICO_SANITIZE})
  endif()
  add_test(NAME ${tests} COMMAND ${tests} WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  # What a daemon asks before it loads the plugin: the manifest, the library, the migrations for both databases. Who has signed it, if
  # somebody has, is the business of the machine where it is to run.
  if(PORTICO_CTL)
    add_test(NAME ${service}-verify COMMAND ${PORTICO_CTL} verify --any-signer $<TARGET_FILE_DIR:portico_plugin_${service}>)
  endif()
  get_target_property(pages portico_plugin_${service} PORTICO_WEB_SOURCE)
  if(pages AND TARGET portico_web_${service})
    portico_web_app_tests(${service} ${pages})
  endif()
endfunction()
