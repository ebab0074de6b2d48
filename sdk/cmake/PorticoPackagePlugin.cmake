# portico_package_plugin(<service> CONTACT "Name <address>" [COPYRIGHT <file>])
#
# Makes `cpack` build the Debian package portico-plugin-<service> of a plugin that portico_add_plugin() has declared, in a directory of its
# own. Version and description come from the manifest. The package needs a host of the SDK's epoch, and at least its minor: apt refuses it
# elsewhere.
# cpack signs what it packages when the environment variable PORTICO_SIGNING_KEY names a private key (`porticoctl plugin keygen`), and
# refuses an unsigned plugin otherwise, unless PORTICO_UNSIGNED=1.
#   CONTACT    who maintains it
#   COPYRIGHT  what Debian shows as the package's copyright

# A changelog of one entry, as Debian wants one in every package.
function(portico_package_changelog package version contact)
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
  set(changelog ${CMAKE_CURRENT_BINARY_DIR}/packaging/changelog.Debian)
  file(WRITE ${changelog} "${package} (${version}-1) unstable; urgency=medium\n\n  * Release ${version}.\n\n -- ${contact}  ${date}\n")
  execute_process(COMMAND gzip -9nf ${changelog} COMMAND_ERROR_IS_FATAL ANY)
  install(FILES ${changelog}.gz DESTINATION share/doc/${package} COMPONENT ${ARGN})
endfunction()

function(portico_package_plugin service)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "CONTACT;COPYRIGHT" "")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "portico_package_plugin(${service}): unknown argument '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT arg_CONTACT)
    message(FATAL_ERROR "portico_package_plugin(${service}): CONTACT is needed, as \"Ann Example <ann@example.org>\"")
  endif()
  if(NOT TARGET portico_plugin_${service})
    message(FATAL_ERROR "portico_package_plugin(${service}): there is no such plugin; call portico_add_plugin(${service} …) before")
  endif()

  find_program(PORTICO_FILE_PROGRAM file)
  find_program(PORTICO_SHLIBDEPS_PROGRAM dpkg-shlibdeps)
  if(NOT PORTICO_FILE_PROGRAM OR NOT PORTICO_SHLIBDEPS_PROGRAM)
    message(NOTICE "-- portico_package_plugin(${service}): cpack will not find out what the package depends on; install dpkg-dev and file")
  endif()

  get_target_property(manifest portico_plugin_${service} PORTICO_MANIFEST)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${manifest})
  file(READ ${manifest} text)
  string(JSON version GET "${text}" version)
  string(JSON summary ERROR_VARIABLE ignored GET "${text}" name)
  string(JSON description ERROR_VARIABLE ignored GET "${text}" description)
  if(description MATCHES "NOTFOUND$" OR description STREQUAL "")
    set(description ${summary})
  endif()

  set(package portico-plugin-${service})
  set(component plugin-${service})
  string(TOUPPER ${component} upper)
  portico_package_changelog(${package} ${version} "${arg_CONTACT}" ${component})
  if(arg_COPYRIGHT)
    get_filename_component(copyright ${arg_COPYRIGHT} ABSOLUTE)
    install(FILES ${copyright} DESTINATION share/doc/${package} RENAME copyright COMPONENT ${component})
  endif()

  set(CPACK_GENERATOR DEB)
  set(CPACK_COMPONENTS_ALL ${component})
  set(CPACK_DEB_COMPONENT_INSTALL ON)
  set(CPACK_COMPONENTS_GROUPING IGNORE)
  set(CPACK_PACKAGE_NAME ${package})
  set(CPACK_PACKAGE_VERSION ${version})
  set(CPACK_PACKAGE_CONTACT "${arg_CONTACT}")
  set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "Portico plugin: ${summary}\n${description}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package})
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
  set(CPACK_DEBIAN_PACKAGE_SECTION httpd)
  set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  get_target_property(library Portico::portico IMPORTED_LOCATION)
  if(NOT library)
    get_target_property(configurations Portico::portico IMPORTED_CONFIGURATIONS)
    list(GET configurations 0 configuration)
    get_target_property(library Portico::portico IMPORTED_LOCATION_${configuration})
  endif()
  get_filename_component(directory ${library} DIRECTORY)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${directory})
  set(CPACK_DEBIAN_PACKAGE_DEPENDS
    "portico-plugin-abi-${PORTICO_SDK_EPOCH} (>= ${PORTICO_SDK_MINOR}), libportico${PORTICO_SDK_EPOCH} (>= ${Portico_VERSION})")
  # Runs on the staged files, after the build that cpack starts, which removes an older signature.
  set(CPACK_PRE_BUILD_SCRIPTS ${PORTICO_CMAKE_DIR}/PorticoSignPackage.cmake)
  set(CPACK_PORTICO_SERVICE ${service})
  set(CPACK_PORTICO_CTL ${PORTICO_CTL})
  include(CPack)
endfunction()
