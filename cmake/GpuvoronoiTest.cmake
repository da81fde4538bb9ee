# Helpers that register tests.

find_package(PkgConfig REQUIRED)
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)

# Debian's Python, which sees Debian's osgeo, numpy, scipy and pytest. A test that needs it is left out without it.
find_program(GPUVORONOI_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH DOC "Python with osgeo, numpy, scipy, pytest")
if(NOT GPUVORONOI_PYTHON)
  message(STATUS "No /usr/bin/python3: the tests of the command, the digests and the house rules are left out")
endif()

# What every test sees: no network for PROJ's grids, threads that wait without spinning as tests run side by side, sanitizers that
# fail loudly.
set(GPUVORONOI_TEST_ENVIRONMENT
    PROJ_NETWORK=OFF
    OMP_WAIT_POLICY=passive
    ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1
    UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
    LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/lsan.supp
    "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/tsan.supp ignore_noninstrumented_modules=1")

if(GPUVORONOI_SANITIZE MATCHES thread)
  # Tells the thread sanitizer how OpenMP's threads wait for each other.
  get_filename_component(folder "${OpenMP_omp_LIBRARY}" DIRECTORY)
  find_file(GPUVORONOI_ARCHER libarcher.so PATHS ${folder} /usr/lib/llvm-14/lib NO_DEFAULT_PATH REQUIRED)
  list(APPEND GPUVORONOI_TEST_ENVIRONMENT OMP_TOOL_LIBRARIES=${GPUVORONOI_ARCHER})
endif()

# Names of the tests that have the label "quick", too: one a line.
file(STRINGS ${PROJECT_SOURCE_DIR}/tests/quick.txt GPUVORONOI_QUICK_TESTS REGEX "^[a-z]")
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/quick.txt)

# gpuvoronoi_test_properties(name [PROPERTY value ...]): the defaults of every test, then those given.
function(gpuvoronoi_test_properties name)
  set_tests_properties(${name} PROPERTIES TIMEOUT 900 SKIP_RETURN_CODE 77
                       ENVIRONMENT "${GPUVORONOI_TEST_ENVIRONMENT}" ${ARGN})
  set_property(GLOBAL APPEND PROPERTY GPUVORONOI_TESTS ${name})
  if(name IN_LIST GPUVORONOI_QUICK_TESTS)
    # At the end of the folder, as labels may be set again after this.
    cmake_language(EVAL CODE "cmake_language(DEFER CALL set_property TEST ${name} APPEND PROPERTY LABELS quick)")
  endif()
endfunction()

# gpuvoronoi_check_quick_tests(): every name in tests/quick.txt is that of a test.
function(gpuvoronoi_check_quick_tests)
  get_property(tests GLOBAL PROPERTY GPUVORONOI_TESTS)
  set(unknown ${GPUVORONOI_QUICK_TESTS})
  list(REMOVE_ITEM unknown ${tests})
  if(unknown)
    message(FATAL_ERROR "tests/quick.txt: unknown tests (${unknown}); correct or remove the names")
  endif()
endfunction()

# gpuvoronoi_add_unit_test(name source...): a cmocka program linked with the library's internals. Other libraries are
# added by target_link_libraries(test_<name> PRIVATE ...); a test that cannot run here exits with 77 (a visible skip).
function(gpuvoronoi_add_unit_test name)
  add_executable(test_${name} ${ARGN})
  gpuvoronoi_target(test_${name})
  target_link_libraries(test_${name} PRIVATE gpuvoronoi_internal PkgConfig::CMOCKA)
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  if(TARGET gpuvoronoi_cuda)
    # The library is part of the program here: this is where it finds the module.
    add_dependencies(test_${name} gpuvoronoi_cuda)
    set_target_properties(test_${name} PROPERTIES BUILD_RPATH $<TARGET_FILE_DIR:gpuvoronoi_cuda>)
  endif()
  add_test(NAME ${name} COMMAND test_${name})
  gpuvoronoi_test_properties(${name} LABELS unit)
endfunction()

# gpuvoronoi_add_command_tests(prefix subject...): for each subject test_<subject>.py of the current folder, run by pytest on the
# command and called <prefix>_<subject>.
function(gpuvoronoi_add_command_tests prefix)
  if(NOT TARGET gpuvoronoi_cli OR NOT GPUVORONOI_PYTHON)
    return()
  endif()
  foreach(subject ${ARGN})
    set(name ${prefix}_${subject})
    add_test(NAME ${name}
             COMMAND ${GPUVORONOI_PYTHON} -m pytest -q -rs -p no:cacheprovider -p visible_skips test_${subject}.py
             WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    gpuvoronoi_test_properties(${name} LABELS cli)
    # The command's own leaks are looked for by cli_leaks.
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT
                 GPUVORONOI_COMMAND=$<TARGET_FILE:gpuvoronoi_cli> PYTHONDONTWRITEBYTECODE=1
                 PYTHONPATH=${PROJECT_SOURCE_DIR}/tests ASAN_OPTIONS=detect_leaks=0)
    if(TARGET forked_command)
      set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT GPUVORONOI_FORKED_COMMAND=$<TARGET_FILE:forked_command>)
    endif()
  endforeach()
endfunction()
