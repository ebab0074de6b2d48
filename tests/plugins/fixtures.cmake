# One shared object a situation, in ${fixtures}/<situation>/. The tests copy them to where they pretend that they are installed.
set(fixtures ${CMAKE_CURRENT_BINARY_DIR}/fixtures)

function(portico_fixture situation)
  portico_add_plugin(${situation} SOURCES fixtures/${situation}.cpp MANIFEST fixtures/manifest.json OUTPUT ${fixtures}/${situation} ${ARGN})
endfunction()

foreach(situation ok-v1 ok-v2 constructor-throws serve-crashes start-crashes start-throws start-away declare-throws throws-number start-hangs stop-hangs slow-handler streaming
        bad-access unhealthy provider consumer)
  portico_fixture(${situation})
  list(APPEND fixture_targets portico_plugin_${situation})
endforeach()

# Those that the gate would stop, or that lie in their fingerprint.
foreach(situation wrong-epoch other-compiler thread-local)
  portico_fixture(${situation} UNGATED)
  list(APPEND fixture_targets portico_plugin_${situation})
endforeach()
target_compile_definitions(portico_plugin_wrong-epoch_code PRIVATE PORTICO_SDK_EPOCH=2)
target_compile_definitions(portico_plugin_other-compiler_code PRIVATE PORTICO_FP_COMPILER="gcc-99")

# Built by hand, without the options of portico_add_plugin().
add_library(portico_plugin_unique-symbol MODULE fixtures/unique-symbol.cpp)
set_target_properties(portico_plugin_unique-symbol PROPERTIES PREFIX "" OUTPUT_NAME unique-symbol
  LIBRARY_OUTPUT_DIRECTORY ${fixtures}/unique-symbol)
target_link_libraries(portico_plugin_unique-symbol PRIVATE Portico::portico portico_options)
list(APPEND fixture_targets portico_plugin_unique-symbol)
