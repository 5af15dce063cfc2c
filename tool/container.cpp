#include "container.hpp"

#include "device_list.hpp"
#include "lxc/liblxc.hpp"

#include <filesystem>
#include <map>
#include <system_error>

namespace lxc_passthrough::tool {

void ContainerOptions::add_to(CLI::App& command) {
  add_several_to(command);
  command.remove_option(command.get_option("--all"));
  command.get_option("container")->expected(1)->option_text("NAME");
}

void ContainerOptions::add_several_to(CLI::App& command) {
  CLI::Option* const words = command.add_option("container", words_, "the container")->option_text("NAME...");
  command.add_option("-n,--name", name_option_, "the container")->option_text("NAME")->excludes(words);
  command.add_option("-P,--lxcpath", lxcpath_, "where the containers are")->option_text("DIRECTORY");
  command.add_option("-f,--rcfile", rcfile_, "use this config, which need not belong to a container")
      ->option_text("FILE");
  command.add_flag("--all", all_, "every container")->excludes(words);
}

Container ContainerOptions::only_one() const {
  const std::vector<Container> containers = all();
  if (containers.size() != 1) throw CLI::ValidationError("give one container");
  return containers.front();
}

std::vector<Container> ContainerOptions::all() const {
  std::vector<std::string> names = words_;
  if (!name_option_.empty()) names.push_back(name_option_);
  if (all_) names = liblxc::container_names(lxcpath());
  if (!rcfile_.empty()) {
    if (names.size() > 1 || all_) throw CLI::ValidationError("-f is one config, of one container");
    return {{names.empty() ? "" : names.front(), "", rcfile_}};
  }
  if (names.empty() && !all_) {
    throw CLI::ValidationError("give the name of a container, or a config with -f");
  }
  std::vector<Container> containers;
  for (const std::string& name : names)
    containers.push_back(named(name));
  return containers;
}

std::string ContainerOptions::lxcpath() const {
  return lxcpath_.empty() ? liblxc::default_lxcpath() : lxcpath_;
}

Container ContainerOptions::named(const std::string& name) const {
  if (name.empty() || name.find('/') != std::string::npos) {
    throw CLI::ValidationError("a container's name has no slash; give a file with -f");
  }
  std::string file = lxcpath() + "/" + name + "/config";
  // Proxmox makes that file anew at each start: what its user edits is another.
  std::error_code ignored;
  const std::string of_proxmox = proxmox_config_file(name);
  if (lxcpath_.empty() && std::filesystem::exists(of_proxmox, ignored)) file = of_proxmox;
  return {name, lxcpath(), file};
}

void StartOptions::add_to(CLI::App& command) {
  const auto take_version = [this](const std::string& text) {
    version_ = parse_lxc_version(text);
    return version_.has_value();
  };
  command
      .add_option_function<std::string>(
          "--lxc-version",
          [take_version](const std::string& text) {
            if (!take_version(text))
              throw CLI::ValidationError("--lxc-version takes a version, such as 5.0.2");
          },
          "judge for this LXC instead of the installed one")
      ->option_text("VERSION");
  const std::map<std::string, CgroupLayout> layouts{{"v1", CgroupLayout::kV1}, {"v2", CgroupLayout::kV2}};
  command.add_option("--cgroup", layout_, "judge for this cgroup layout instead of the host's")
      ->transform(CLI::CheckedTransformer(layouts).description(""))
      ->option_text("v1|v2");
}

LxcVersion StartOptions::version() const {
  return version_.value_or(liblxc::version());
}

CgroupLayout StartOptions::layout(Host& host) const {
  return layout_ ? *layout_ : find_cgroup_layout(host).value_or(CgroupLayout::kV2);
}

CheckRequest StartOptions::request(const Container& container, Host& host) const {
  return {container.name, container.config_file, version(), layout(host),
          !container.lxcpath.empty() && liblxc::is_running(container.name, container.lxcpath)};
}

}  // namespace lxc_passthrough::tool
