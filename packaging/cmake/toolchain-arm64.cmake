# Builds for 64-bit ARM with Debian's cross compiler.
# LXC_PASSTHROUGH_CROSS_ROOT in the environment is a folder with usr/include and usr/lib for libraries that do not come
# with the compiler: libcap, and GoogleTest for the tests. packaging/cross makes one.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

set(CMAKE_FIND_ROOT_PATH $ENV{LXC_PASSTHROUGH_CROSS_ROOT} /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
foreach(language C CXX)
  set(CMAKE_${language}_FLAGS_INIT "-isystem $ENV{LXC_PASSTHROUGH_CROSS_ROOT}/usr/include")
endforeach()

set(CMAKE_CROSSCOMPILING_EMULATOR /usr/bin/qemu-aarch64-static -L /usr/aarch64-linux-gnu)
