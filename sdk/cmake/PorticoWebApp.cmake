# portico_web_app(<service> SOURCE <directory>)
#
# Builds the pages of a service with the web kit (docs/web.md) and says to the caller where they are and what makes them:
#   portico_add_plugin(crm … WEB ${crm_WEB} WEB_DEPENDS ${crm_WEB_DEPENDS})
# Beside the C++ compile, once for all presets: the result is in build/web/<service>, and is kept as long as its sources are the same. Outside of
# Portico's tree the kit is that of the installed SDK, the result is in the build directory, and the target <service>-types writes src/api.d.ts from
# what the built plugin declares; no daemon needs to run. Where
# there is neither Node 20.19 nor an npm that brings it (sdk/web/node), or with -DPORTICO_WEB=OFF, both variables are empty: the plugin is built without pages.
option(PORTICO_WEB "Build the pages of services; needs npm" ON)

function(portico_web_app service)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE" "")
  if(NOT arg_SOURCE OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "portico_web_app(${service}): expected SOURCE <directory>, found '${ARGN}'")
  endif()
  set(${service}_WEB "" PARENT_SCOPE)
  set(${service}_WEB_DEPENDS "" PARENT_SCOPE)
  if(NOT PORTICO_WEB)
    return()
  endif()
  set(root ${CMAKE_SOURCE_DIR})
  set(out ${CMAKE_SOURCE_DIR}/build/web)
  if(Portico_FOUND)
    set(root ${PORTICO_WEB_KIT})
    set(out ${CMAKE_BINARY_DIR}/web)
  endif()
  set(kit ${root}/sdk/web)
  execute_process(COMMAND ${kit}/node ${out}/node RESULT_VARIABLE missing OUTPUT_QUIET ERROR_VARIABLE said ERROR_STRIP_TRAILING_WHITESPACE)
  if(missing)
    message(STATUS "${service} is built without pages. ${said}")
    return()
  endif()

  get_filename_component(source ${arg_SOURCE} ABSOLUTE)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${kit}/*/src/* ${kit}/*.json ${kit}/tokens/* ${kit}/tools/* ${source}/*)
  set(stamp ${CMAKE_CURRENT_BINARY_DIR}/${service}-web.stamp)
  add_custom_command(OUTPUT ${stamp}
    COMMAND ${kit}/build --out ${out} --fast ${service}=${source}
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    DEPENDS ${kit}/build ${root}/package.json ${root}/package-lock.json ${sources}
    COMMENT "Building the pages of ${service}" VERBATIM)
  add_custom_target(portico_web_${service} DEPENDS ${stamp})
  if(Portico_FOUND)
    # The API as the built plugin declares it, asked of a daemon that porticoctl starts for it.
    set(description ${CMAKE_CURRENT_BINARY_DIR}/${service}-openapi.json)
    add_custom_target(${service}-types
      COMMAND ${PORTICO_CTL} openapi ${service} --config ${CMAKE_BINARY_DIR}/porticod.properties --output ${description}
      COMMAND ${kit}/build --out ${out} --types ${service} ${description} ${source}/src/api.d.ts
      COMMENT "Writing ${source}/src/api.d.ts" VERBATIM)
    add_dependencies(${service}-types portico_plugin_${service})
  endif()
  set(${service}_WEB ${out}/${service} PARENT_SCOPE)
  set(${service}_WEB_DEPENDS portico_web_${service} ${stamp} PARENT_SCOPE)
endfunction()

# Tests of an app outside of Portico's tree: rules, types and the whole bundle, and each of web/tests/*.mjs in Chromium before a daemon of its own.
function(portico_web_app_tests service source)
  set(build ${PORTICO_WEB_KIT}/sdk/web/build --out ${CMAKE_BINARY_DIR}/web)
  add_test(NAME ${service}-web COMMAND ${build} ${service}=${source})
  set_tests_properties(${service}-web PROPERTIES FIXTURES_SETUP ${service}-web)
  find_program(PORTICO_CHROMIUM NAMES chromium chromium-browser)
  find_program(PORTICO_DAEMON porticod HINTS ${PORTICO_PREFIX}/bin ${PORTICO_PREFIX}/sbin)
  file(GLOB tests CONFIGURE_DEPENDS ${source}/tests/*.mjs)
  if(NOT PORTICO_CHROMIUM OR NOT PORTICO_DAEMON OR NOT PORTICO_CTL)
    message(STATUS "The pages of ${service} are not tested in a browser: that needs chromium and portico")
    return()
  endif()
  foreach(test IN LISTS tests)
    get_filename_component(name ${test} NAME_WE)
    add_test(NAME ${service}-browser-${name} COMMAND ${build} --run ${service} tests/${name}.mjs)
    set_tests_properties(${service}-browser-${name} PROPERTIES FIXTURES_REQUIRED ${service}-web TIMEOUT 300 ENVIRONMENT
      "PORTICO_SERVICE=${service};PORTICO_DAEMON=${PORTICO_DAEMON};PORTICO_CTL=${PORTICO_CTL};PORTICO_CHROMIUM=${PORTICO_CHROMIUM};PORTICO_CONFIG=${CMAKE_BINARY_DIR}/porticod.properties")
  endforeach()
endfunction()
