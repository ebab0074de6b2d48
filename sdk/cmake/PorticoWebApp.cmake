# portico_web_app(<service> SOURCE <directory>)
#
# Builds the pages of a service with the web kit (docs/web.md) and says to the caller where they are and what makes them:
#   portico_add_plugin(crm … WEB ${crm_WEB} WEB_DEPENDS ${crm_WEB_DEPENDS})
# Beside the C++ compile, once for all presets: the result is in build/web/<service>, and is kept as long as its sources are the same. Where
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
  set(out ${CMAKE_SOURCE_DIR}/build/web)
  set(kit ${CMAKE_SOURCE_DIR}/sdk/web)
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
    DEPENDS ${kit}/build ${CMAKE_SOURCE_DIR}/package.json ${CMAKE_SOURCE_DIR}/package-lock.json ${sources}
    COMMENT "Building the pages of ${service}" VERBATIM)
  add_custom_target(portico_web_${service} DEPENDS ${stamp})
  set(${service}_WEB ${out}/${service} PARENT_SCOPE)
  set(${service}_WEB_DEPENDS portico_web_${service} ${stamp} PARENT_SCOPE)
endfunction()
