# Builds for 32-bit ARM (Debian's armhf: ARMv7 with VFPv3, such as the Turris Omnia's) with Debian's cross compiler.
# LXC_PASSTHROUGH_CROSS_ROOT in the environment is a folder with usr/include and usr/lib for libraries that do not come
# with the compiler: libcap, and GoogleTest for the tests. packaging/cross makes one.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR armv7l)
set(CMAKE_C_COMPILER arm-linux-gnueabihf-gcc)
set(CMAKE_CXX_COMPILER arm-linux-gnueabihf-g++)

set(CMAKE_FIND_ROOT_PATH $ENV{LXC_PASSTHROUGH_CROSS_ROOT} /usr/arm-linux-gnueabihf)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
foreach(language C CXX)
  set(CMAKE_${language}_FLAGS_INIT "-isystem $ENV{LXC_PASSTHROUGH_CROSS_ROOT}/usr/include")
endforeach()

set(CMAKE_CROSSCOMPILING_EMULATOR /usr/bin/qemu-arm-static -L /usr/arm-linux-gnueabihf)
