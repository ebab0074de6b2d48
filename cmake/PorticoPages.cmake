# portico_install_pages(<component> <package> <file>...)
#
# Installs pages of docs for people who have no checkout, below share/doc/<package>: links to what lies elsewhere in the checkout lead to
# where that is installed. tests/http/new_plugin.py follows all of them.
set(PORTICO_AUTHORS_PAGES plugin-guide debugging-plugins compatibility)

function(portico_install_pages component package)
  foreach(page IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page})
    file(READ ${page} text)
    get_filename_component(name ${page} NAME)
    string(REPLACE "](../sdk/include/" "](../../../include/" text "${text}")
    string(REPLACE "](../sdk/web/" "](../../portico/web/sdk/web/" text "${text}")
    string(REPLACE "](../sdk/" "](../../portico/" text "${text}")
    string(REPLACE "](../packaging/examples/grafana" "](../portico/examples" text "${text}")
    string(REPLACE "](../packaging/examples" "](../portico/examples" text "${text}")
    string(REPLACE "](../etc/" "](/etc/portico/" text "${text}")
    # Pages of the other package.
    foreach(author IN LISTS PORTICO_AUTHORS_PAGES)
      string(REPLACE "](${author}.md" "](../portico-sdk-dev/${author}.md" text "${text}")
    endforeach()
    string(REPLACE "](decisions" "](../portico-sdk-dev/decisions" text "${text}")
    string(REGEX REPLACE "\\]\\(([a-z-]+\\.md)" "](../portico/\\1" text "${text}")
    file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/pages/${package}/${name} "${text}")
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/pages/${package}/${name} DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
  endforeach()
endfunction()
