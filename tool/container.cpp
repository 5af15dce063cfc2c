#include "container.hpp"

#include <lxc/lxccontainer.h>

namespace lxc_passthrough::tool {

std::string default_lxcpath() {
  const char* const path = lxc_get_global_config_item("lxc.lxcpath");
  return path == nullptr ? "/var/lib/lxc" : path;
}

void ContainerOptions::add_to(CLI::App& command) {
  CLI::Option* const word = command.add_option("name", first_word_, "the container")->option_text("NAME");
  command.add_option("-n,--name", name_option_, "the container")->option_text("NAME")->excludes(word);
  command.add_option("-P,--lxcpath", lxcpath_, "where the containers are")->option_text("DIRECTORY");
  command.add_option("-f,--rcfile", rcfile_, "use this config, which need not belong to a container")
      ->option_text("FILE");
}

Container ContainerOptions::only_one() const {
  const std::string& name = first_word_.empty() ? name_option_ : first_word_;
  if (!rcfile_.empty()) return {name, rcfile_};
  if (name.empty()) throw CLI::ValidationError("give the name of a container, or a config with -f");
  return named(name);
}

Container ContainerOptions::named(const std::string& name) const {
  if (name.find('/') != std::string::npos) {
    throw CLI::ValidationError("a container's name has no slash; give a file with -f");
  }
  return {name, (lxcpath_.empty() ? default_lxcpath() : lxcpath_) + "/" + name + "/config"};
}

CgroupLayout host_layout(Host& host) {
  // In this order: on v2 "devices" could be the name of a group.
  if (host.look("/sys/fs/cgroup/cgroup.controllers")) return CgroupLayout::kV2;
  return host.look("/sys/fs/cgroup/devices") ? CgroupLayout::kV1 : CgroupLayout::kV2;
}

}  // namespace lxc_passthrough::tool
