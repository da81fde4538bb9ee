# For scripts that compile for another machine: PROJ's headers, which are the same everywhere, as a package of CMake's without a library.
# . headers_of_proj.sh INCLUDE_DIR FOLDER
mkdir -p "$2/include"
for header in proj.h proj_constants.h geodesic.h; do
  [[ ! -e $1/$header ]] || ln -s "$1/$header" "$2/include"
done
cat >"$2/proj-config.cmake" <<'END'
add_library(PROJ::proj INTERFACE IMPORTED)
set_target_properties(PROJ::proj PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${CMAKE_CURRENT_LIST_DIR}/include)
END
